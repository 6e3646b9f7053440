"""S3 and Google Cloud Storage, through the file systems of pyarrow, which are imported when a URL asks for them."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from islands.errors import UsageError, shortened
from islands.store.objects import Entry, Refused, tried
from islands.store.url import Url

ANSWER = 10.0  # seconds within which a store must give its first answer
CONNECT, SILENCE = 4.0, 10.0  # seconds for a connection, and without a byte

OPTIONS = {  # of a URL's query, as pyarrow names them
    "s3": ("region", "scheme", "endpoint_override", "tls_ca_file_path", "force_virtual_addressing"),
    "gs": ("scheme", "endpoint_override", "project_id"),
}
CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, or `gcloud auth application-default login`",
}
_REFUSALS = re.compile(
    "NO_SUCH_BUCKET|ACCESS_DENIED|INVALID_ACCESS_KEY_ID|INVALID_CLIENT_TOKEN_ID|SIGNATURE_DOES_NOT_MATCH|"
    "UNRECOGNIZED_CLIENT|MISSING_AUTHENTICATION_TOKEN|ExpiredToken|AuthorizationHeaderMalformed|PERMANENT_REDIRECT|"
    "HTTP status (301|401|403)|PERMISSION_DENIED|UNAUTHENTICATED|"
    "[Bb]ucket .* not found|specified bucket does not exist"
)
_DETAIL = re.compile(r"AWS Error ([A-Z_]+(?: \(HTTP status \d+\))?)")

T = TypeVar("T")


class ArrowObjects:
    """The objects of a bucket; keys begin with its name."""

    def __init__(self, system: Any) -> None:
        self._system = system
        # An interrupt between the beginning of a put and its end would leave a part of an object, for pyarrow completes
        # what is under way when it is dropped. Signals only ever interrupt the main thread.
        self._putting = ThreadPoolExecutor(4, "put")

    def get(self, key: str) -> bytes:
        while True:
            with _explained(), self._system.open_input_stream(key, compression=None) as stream:
                data: bytes = stream.read()
            entry = self.look([key])[0]
            if entry is None or entry.size <= len(data):
                return data  # pyarrow asks for the size first: a larger object that was put meanwhile would be cut

    def put(self, key: str, data: bytes | memoryview) -> None:
        self._putting.submit(self._put, key, data).result()

    def _put(self, key: str, data: bytes | memoryview) -> None:
        with _explained(), self._system.open_output_stream(key, compression=None) as stream:
            stream.write(data)

    def delete(self, key: str) -> None:
        try:
            with _explained():
                self._system.delete_file(key)
        except FileNotFoundError:
            pass

    def delete_folder(self, key: str) -> None:
        try:
            with _explained():
                self._system.delete_dir(key)
        except FileNotFoundError:
            pass

    def list(self, key: str) -> Sequence[Entry]:
        from pyarrow.fs import FileSelector

        with _explained():
            found = self._system.get_file_info(FileSelector(key, allow_not_found=True))
        return sorted(map(_entry, found), key=lambda entry: entry.name)

    def look(self, keys: Sequence[str]) -> Sequence[Entry | None]:
        with _explained():
            found = self._system.get_file_info(list(keys))
        return [_entry(info) if info.is_file else None for info in found]


def connected(url: Url) -> ArrowObjects:
    """The store of a URL, after its first answer. UsageError where there is none, or it refuses."""
    unknown = url.options.keys() - set(OPTIONS[url.scheme])
    if unknown:
        raise UsageError(f"{url}: unknown option {min(unknown)!r}. Known: {', '.join(OPTIONS[url.scheme])}.")
    try:
        return ArrowObjects(_within(ANSWER, lambda: _system(url)))
    except ImportError as error:
        raise UsageError(
            f"this pyarrow was built without {url.scheme}://: {error}. Install the wheel: pip install pyarrow"
        ) from error
    except TimeoutError as error:
        raise UsageError(
            f"no answer from {url.scheme}://{url.bucket}{_at(url)} within {ANSWER:.0f} s. Credentials come from "
            f"{CREDENTIALS[url.scheme]}."
        ) from error
    except OSError as error:
        raise UsageError(refusal(url, error)) from error


def refusal(url: Url, error: OSError) -> str:
    """What a store's answer means, and what to do about it."""
    said = str(error)
    if "NO_SUCH_BUCKET" in said or ("ucket" in said and ("not found" in said or "does not exist" in said)):
        return f"there is no bucket {url.bucket!r}{_at(url)}. Make it first, or choose another `out`."
    if "PERMANENT_REDIRECT" in said or "HTTP status 301" in said:
        return f"bucket {url.bucket!r} is in another region. Name it: AWS_REGION, or ?region= in the URL."
    if isinstance(error, Refused):
        return f"{url}: access is refused ({reason(error)}). Credentials come from {CREDENTIALS[url.scheme]}."
    return f"{url.scheme}://{url.bucket}{_at(url)} cannot be reached ({reason(error)})."


def reason(error: OSError) -> str:
    """What a store said, short."""
    detail = _DETAIL.search(str(error))
    return detail[1] if detail else shortened(str(error).splitlines()[0] if str(error) else type(error).__name__)


def _system(url: Url) -> Any:
    """A file system of pyarrow that has answered."""
    system = tried(lambda: _s3(url) if url.scheme == "s3" else _gs(url))

    def check() -> None:
        with _explained():
            if not any(system.get_file_info(key).type for key in (url.key, url.bucket)):
                raise Refused(f"bucket {url.bucket} not found")

    tried(check)
    return system


def _s3(url: Url) -> Any:
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem, resolve_s3_region

    options: dict[str, Any] = dict(url.options)
    scheme, endpoint = _endpoint(url)
    if endpoint:
        options |= {"scheme": scheme, "endpoint_override": endpoint}
    region = options.get("region") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not region:
        with _explained():
            region = "us-east-1" if endpoint else resolve_s3_region(url.bucket)
    options["region"] = region
    if "force_virtual_addressing" in options:
        options["force_virtual_addressing"] = options["force_virtual_addressing"].lower() in ("1", "true")
    return S3FileSystem(
        access_key=url.user or None,
        secret_key=url.password or None,
        connect_timeout=CONNECT,
        request_timeout=SILENCE,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=1),  # `Patient` tries again
        background_writes=False,
        allow_delayed_open=True,  # one request for an object of a few megabytes
        **options,
    )


def _gs(url: Url) -> Any:
    from datetime import timedelta

    from pyarrow.fs import GcsFileSystem

    anonymous = url.user == "anonymous"
    return GcsFileSystem(anonymous=anonymous, retry_time_limit=timedelta(seconds=SILENCE), **url.options)


def _endpoint(url: Url) -> tuple[str, str]:
    """The scheme and address of an S3 that is not Amazon's: of the URL, or as all tools of AWS take it."""
    if "endpoint_override" in url.options:
        return url.options.get("scheme", "https"), url.options["endpoint_override"]
    given = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    parts = urlsplit(given if "://" in given else f"https://{given}")
    return parts.scheme, parts.netloc


def _at(url: Url) -> str:
    endpoint = _endpoint(url)[1] if url.scheme == "s3" else url.options.get("endpoint_override", "")
    return f" at {endpoint}" if endpoint else ""


def _entry(info: Any) -> Entry:
    return Entry(info.base_name, not info.is_file, info.size or 0, (info.mtime_ns or 0) / 1e9)


@contextmanager
def _explained() -> Iterator[None]:
    """Errors that would come again are `Refused`."""
    try:
        yield
    except FileNotFoundError:
        raise
    except PermissionError as error:
        raise Refused(str(error)) from error
    except OSError as error:
        raise (Refused(str(error)) if _REFUSALS.search(str(error)) else error) from error


def _within(seconds: float, action: Callable[[], T]) -> T:
    """The result of an action that may hang: it is left behind in a thread that no exit waits for."""
    result: Future[T] = Future()

    def work() -> None:
        try:
            result.set_result(action())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return result.result(seconds)
