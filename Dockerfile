# The image of the action and of `docker run memtru/ci`. It builds with the legacy builder and with BuildKit.
# The base's Python may be /usr/bin/python3 or /usr/local/bin/python3: only the venv's own path is relied on.
ARG BASE=python:3.13-slim

# hadolint ignore=DL3006
FROM ${BASE} AS build

ENV PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
RUN python3 -m venv --without-pip /opt/memtru && python3 -m venv --without-pip /tmp/build

# pbr (and setuptools, which it needs) is declared by sarif-om but never imported by it; the last line proves it.
COPY requirements.lock requirements-build.lock /src/
RUN python3 -m pip --python /opt/memtru/bin/python install --require-hashes --requirement /src/requirements.lock \
 && python3 -m pip --python /tmp/build/bin/python install --require-hashes --requirement /src/requirements-build.lock \
 && python3 -m pip --python /opt/memtru/bin/python uninstall --quiet --yes pbr setuptools \
 && /opt/memtru/bin/python -c 'import sarif_om'

COPY pyproject.toml README.md LICENSE /src/
COPY memtru_ci /src/memtru_ci
RUN python3 -m pip --python /tmp/build/bin/python wheel --no-deps --no-build-isolation --wheel-dir /tmp/wheel /src \
 && python3 -m pip --python /opt/memtru/bin/python install --no-deps --no-index /tmp/wheel/*.whl \
 && find /opt/memtru/lib -type d \( -name tests -o -name test \) -prune -exec rm -rf {} + \
 && /opt/memtru/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/memtru/lib
COPY entrypoint.py /opt/memtru/entrypoint.py

# hadolint ignore=DL3006
FROM ${BASE}

LABEL org.opencontainers.image.title="memtru/ci" \
      org.opencontainers.image.description="A CI gate for AI-agent memory: does a deleted memory stay deleted?" \
      org.opencontainers.image.source="https://github.com/memtru/afterlife-action" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0"

# Nothing is written at run time but what a command is asked to write: the root file system can be read-only.
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1

COPY --from=build /opt/memtru /opt/memtru
# /data is for `serve reference --data /data`: a new volume there takes over this mode, for any user.
RUN ln -s /opt/memtru/bin/memtru-ci /usr/local/bin/memtru-ci \
 && ln -s /opt/memtru/entrypoint.py /usr/local/bin/memtru-action \
 && ln -s /opt/memtru/entrypoint.py /usr/local/bin/memtru-cleanup \
 && mkdir /data && chmod 1777 /data

# No USER: the action needs root for the engine's socket and the workspace.
ENTRYPOINT ["/opt/memtru/bin/memtru-ci"]
CMD ["--help"]
