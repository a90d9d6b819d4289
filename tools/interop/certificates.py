"""Certificates for tests: an authority, and those of hosts by it."""

from process import run

KEY = "-newkey rsa:2048 -nodes"


def authority(folder):
    """Makes an authority in a folder."""
    openssl(folder, f"req -x509 {KEY} -days 2 -subj /CN=authority -keyout authority.key -out authority.pem")


def of_host(authority_folder, host, folder, names):
    """Makes the certificate of a host and its key, with these names in a folder."""
    certificate, key = names
    openssl(folder, f"req {KEY} -subj /CN={host} -addext subjectAltName=DNS:{host} -keyout {key} -out {host}.csr")
    by = f"-CA {authority_folder}/authority.pem -CAkey {authority_folder}/authority.key -CAcreateserial"
    openssl(folder, f"x509 -req -days 2 {by} -copy_extensions copy -in {host}.csr -out {certificate}")


def openssl(folder, line):
    run("openssl", ["openssl", *line.split()], folder)
