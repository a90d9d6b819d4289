//! Puts the built interface into the binary, compressed. If it is not built, a page that says so takes its place.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><title>Tollgate</title><p>This Tollgate was built without \
    its interface. Run <code>make ui</code> and build it again. The <a href=\"/api/openapi.json\">API</a> is there.";

fn main() -> io::Result<()> {
    let interface =
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("ui/dist");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("set by cargo"));
    println!("cargo::rerun-if-changed=ui/dist");
    let mut files = Vec::new();
    if interface.join("index.html").is_file() {
        gather(&interface, &interface, &mut files)?;
    } else {
        files.push(("index.html".to_owned(), NOT_BUILT.as_bytes().to_vec()));
    }
    files.sort();
    let mut table = String::from("&[\n");
    for (place, (name, octets)) in files.iter().enumerate() {
        let file = out.join(format!("page-{place}.gz"));
        let mut packed = GzEncoder::new(fs::File::create(&file)?, Compression::best());
        packed.write_all(octets)?;
        packed.finish()?;
        let _ = writeln!(table, "    ({name:?}, include_bytes!({file:?})),");
    }
    table.push(']');
    fs::write(out.join("pages.rs"), table)
}

fn gather(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(root, &path, files)?;
        } else {
            let name =
                path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push((name, fs::read(&path)?));
        }
    }
    Ok(())
}
