"""Tokenizers of the Hugging Face hub, through the cache of huggingface_hub."""

from pathlib import Path

FILE = "tokenizer.json"


def tokenizer_of(model: str, revision: str | None) -> Path:
    """Return the tokenizer.json of a model: that of the cache, or else it is downloaded.

    A file of the cache is not compared with the hub, so that runs are alike, and work offline.
    Raises ValueError for what is no name of a model, and where there is no file.
    """
    # It comes with the library tokenizers, and takes long to import.
    from huggingface_hub import constants, hf_hub_download, try_to_load_from_cache
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    at = f"{model} at {revision}" if revision else model
    try:
        path = try_to_load_from_cache(model, FILE, revision=revision)
        return Path(
            path if isinstance(path, str) else hf_hub_download(model, FILE, revision=revision)
        )
    except HFValidationError as error:
        raise ValueError(f"{model!r} is no name of a model, such as `org/model`: {error}") from None
    except GatedRepoError:
        why = "the hub gives it only to users who were granted access"
    except RepositoryNotFoundError:
        why = "the hub has no such model, or it is private"
    except RevisionNotFoundError:
        why = "the model has no such revision; without `revision`, `main` is read"
    except LocalEntryNotFoundError:
        why = f"it is not in the cache ({constants.HF_HUB_CACHE}), and the hub cannot be reached"
    except EntryNotFoundError:
        why = f"the model has no {FILE}"
    except (HfHubHTTPError, OSError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        why = f"the hub does not give its {FILE}: {reason}"
    raise ValueError(
        f"{at}: {why}. If it needs a login, `hf auth login` does so; `tokbench models list` shows"
        f" tokenizers that need none; any {FILE} can be given by its `path`"
    ) from FileNotFoundError()
