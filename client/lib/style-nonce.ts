/** The nonce of this page's policy, for the few `<style>` elements that are made at run time. */
export const styleNonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// react-remove-scroll (behind dialogs) asks for it under the name that webpack gave it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
