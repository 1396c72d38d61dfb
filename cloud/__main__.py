"""`make cloud`: real OpenSearch and DynamoDB Local, and the very handlers of template.yaml, on 127.0.0.1.

`OPENSEARCH_URL` and `DYNAMODB_URL` name servers that run already.
"""

import argparse
import logging
import signal
import sys
import threading
from pathlib import Path

from cloud.box import cloud
from cloud.fetch import CannotRun
from cloud.front import PORT
from cloud.tokens import Issuer

_WELCOME = """
The tools are on {url}, with real OpenSearch ({opensearch}) and DynamoDB Local ({dynamodb}).
The front stands in for API Gateway, the pollers for Lambda's event source mappings, moto for SQS and S3. Nights are read at
23:00 UTC, or at once by `make cloud-night`. Try, in another terminal:

export TOKEN={token}
curl -s {url}/tools/store_memory -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{{"content": "My daughter Mia is allergic to peanuts."}}'
curl -s {url}/tools/search_memory -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{{"query": "Is anybody in the family allergic to something?"}}'
curl -s {url}/tools -H "Authorization: Bearer $TOKEN"

Tokens of other users: python -m cloud.tokens --user ben. Ctrl-C stops everything.
"""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m cloud", description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--data", type=Path, help="a folder to keep everything in; without one it goes at the end")
    given = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    for number in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C too: a shell's background jobs are born deaf to it
        signal.signal(number, signal.default_int_handler)
    try:
        print("starting OpenSearch and DynamoDB Local (the first time they are downloaded) ...", flush=True)
        with cloud(given.port, given.data) as (front, opensearch, dynamodb):
            token = Issuer.kept().token("ana", seconds=43_200)
            print(_WELCOME.format(url=front.url, token=token, opensearch=opensearch, dynamodb=dynamodb), flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        print("stopped")
    except CannotRun as error:
        hint = "Servers that run already will do too: set OPENSEARCH_URL and DYNAMODB_URL (cloud/docker-compose.yml)"
        sys.exit(f"{error}\n{hint}")
    except (RuntimeError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
