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
    // The shell's header is already the page's banner.
    attributes: { header: { role: 'presentation' } },
  },
};

/** Colours, sizes and fonts are in theme.css. Controls are `sm`, 2.25rem high, or `xs`, 1.75rem (page.css). */
const theme = createTheme({
  primaryColor: ACCENTS[deployment],
  respectReducedMotion: true,
  components: {
    Modal: OVERLAY,
    Drawer: OVERLAY,
    ActionIcon: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { radius: 'md', tt: 'none', fw: 500 } },
    // The first item gets the focus, and a menu may not contain the placeholder.
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
