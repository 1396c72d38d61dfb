# A server for several people, as docs/serving.md has it. `make template` lints this file, and its steps are run by
# `make artefacts`, without a container.
FROM python:3.13-slim AS build
WORKDIR /source
RUN python -m venv /opt/commonplace
COPY requirements-build.txt requirements.txt ./
RUN /opt/commonplace/bin/pip install --no-cache-dir --require-hashes \
    --requirement requirements-build.txt --requirement requirements.txt
COPY pyproject.toml README.md LICENSE NOTICE.md ./
COPY layers/commonplace layers/commonplace
RUN /opt/commonplace/bin/pip install --no-cache-dir --no-build-isolation --no-deps .

FROM python:3.13-slim
RUN useradd --system --uid 1000 --create-home --home-dir /data commonplace
COPY --from=build /opt/commonplace /opt/commonplace
ENV PATH=/opt/commonplace/bin:$PATH COMMONPLACE_DB=/data/memory.db
USER 1000
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --start-period=10s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8787/health', timeout=5)"]
ENTRYPOINT ["commonplace"]
CMD ["serve", "--host", "0.0.0.0", "--tokens", "/data/tokens.json", "--allow-host", "localhost"]
