//! The fields of a variant, and the pattern that binds them.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, Ident};

use crate::numbered;

/// A field, bound in the pattern of its variant.
pub(crate) struct Bound<'f> {
    /// The name of the binding: the name of the field, or `_0` for the first one without a name.
    pub(crate) binding: Ident,
    /// The name of the field; none if it has only a place.
    pub(crate) name: Option<&'f Ident>,
    /// Whether it is an error with codes of its own.
    pub(crate) is_coded: bool,
}

/// Returns the fields in order.
pub(crate) fn bound(fields: &Fields) -> Vec<Bound<'_>> {
    let bound = fields.iter().enumerate().map(|(place, field)| Bound {
        binding: field.ident.clone().unwrap_or_else(|| numbered(place)),
        name: field.ident.as_ref(),
        is_coded: field.attrs.iter().any(|attribute| attribute.path().is_ident("coded")),
    });
    bound.collect()
}

/// Returns the pattern that binds all fields.
pub(crate) fn pattern(path: &TokenStream, fields: &[Bound<'_>]) -> TokenStream {
    let bindings = fields.iter().map(|field| &field.binding);
    match fields.first().map(|field| field.name) {
        None => quote!(#path { .. }),
        Some(None) => quote!(#path(#(#bindings),*)),
        Some(Some(_)) => quote!(#path { #(#bindings),* }),
    }
}
