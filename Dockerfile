# The service, and the plugin library for every platform of a host.
#   docker build --tag quota-router .
FROM python:3.11-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml hatch_build.py constraints.txt README.md CHANGELOG.md LICENSE ./
COPY qr qr
# The host may run on another libc or processor than this image, so all libraries are compiled. The compiler
# comes with the isolated environment of the build, and goes with it.
RUN QUOTA_ROUTER_BUILD_ALL=1 python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
 && python -m venv /opt/quota-router \
 && /opt/quota-router/bin/python -m pip install --no-cache-dir --constraint constraints.txt /wheels/*.whl

FROM python:3.11-slim-bookworm
# A volume that is empty takes its owner and mode from these directories.
RUN groupadd --gid 10001 quota-router \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/quota-router --shell /usr/sbin/nologin quota-router \
 && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/quota-router /run/quota-router
COPY --from=build /opt/quota-router /opt/quota-router
ENV PATH=/opt/quota-router/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    QUOTA_ROUTER_STATE_DIR=/var/lib/quota-router \
    QUOTA_ROUTER_SOCKET=/run/quota-router/quota-router.sock
USER 10001:10001
EXPOSE 8318
# /readyz says whether picks can be decided, and needs no token.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8318/readyz', timeout=3)"]
ENTRYPOINT ["qr"]
CMD ["serve"]
