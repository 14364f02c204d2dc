import shutil
import ssl
import subprocess

import pytest


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A key and a certificate for 127.0.0.1, made for these tests."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate with")
    folder = tmp_path_factory.mktemp("certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    asked = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=practice"
    subprocess.run(
        [
            *("openssl", *asked.split(), "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate
