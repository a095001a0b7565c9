/** The nonce of the page's Content-Security-Policy, for the few `<style>` elements created at run time. */
export const styleNonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// react-remove-scroll (used by dialogs) looks for it under webpack's name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
