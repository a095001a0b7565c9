import { createTheme } from '@mantine/core';
import type { Deployment } from '../shared/upstreams.ts';
import { deployment } from './deployment.ts';

/** The nonce of the page's Content-Security-Policy, for `<style>` elements created at run time. */
const styleNonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// react-remove-scroll, a dependency of dialogs, reads the nonce from webpack's global.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

/** As in theme.css. */
const ACCENTS: Record<Deployment, string> = { customer: 'indigo', workforce: 'teal' };

const OVERLAY = {
  styles: { title: { fontSize: '1rem', fontWeight: 600 } },
  defaultProps: {
    closeButtonProps: { 'aria-label': 'Close' },
    // A page may have only one banner landmark: the shell's header.
    attributes: { header: { role: 'presentation' } },
  },
};

/** Most fields contain names and ids of others, which a browser can neither suggest nor correct. */
const FIELD = { defaultProps: { autoComplete: 'off', spellCheck: false } };

/** Colours, sizes and fonts are in theme.css. Controls are `sm` (2.25rem high) or `xs` (1.75rem), see page.css. */
const theme = createTheme({
  primaryColor: ACCENTS[deployment],
  respectReducedMotion: true,
  components: {
    Modal: OVERLAY,
    Drawer: OVERLAY,
    TextInput: FIELD,
    Textarea: FIELD,
    ActionIcon: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { radius: 'md', tt: 'none', fw: 500 } },
    // ARIA does not allow the placeholder in a menu. The first item gets the focus instead.
    Menu: { defaultProps: { position: 'bottom-end', shadow: 'md', withInitialFocusPlaceholder: false } },
  },
});

/** Props of the app's `MantineProvider`. */
export const mantine = {
  theme,
  defaultColorScheme: 'auto',
  getStyleNonce: () => styleNonce,
  withCssVariables: false,
  withGlobalClasses: false,
} as const;
