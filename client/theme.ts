import { type CSSVariablesResolver, createTheme, type MantineThemeOverride } from '@mantine/core';
import type { Deployment } from '../shared/upstreams.ts';
import { deployment } from './deployment.ts';

/** The nonce of the page's Content-Security-Policy, for `<style>` elements created at run time. */
const styleNonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// react-remove-scroll, a dependency of dialogs, reads the nonce from webpack's global.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

/** One accent colour per deployment, in the lightest shade with a contrast of 4.5:1 to white text. */
const ACCENTS: Record<Deployment, Pick<MantineThemeOverride, 'primaryColor' | 'primaryShade'>> = {
  customer: { primaryColor: 'indigo', primaryShade: { light: 7, dark: 8 } },
  workforce: { primaryColor: 'teal', primaryShade: { light: 9, dark: 9 } },
};

const OVERLAY = {
  styles: { title: { fontSize: '1rem', fontWeight: 600 } },
  defaultProps: {
    closeButtonProps: { 'aria-label': 'Close' },
    // A page may have only one banner landmark: the shell's header.
    attributes: { header: { role: 'presentation' } },
  },
};

const RADIUS = '0.375rem';

/** Controls are `sm` (2.25rem high) or `xs` (1.75rem), see page.css. Text is `sm` or `xs`. */
const theme = createTheme({
  ...ACCENTS[deployment],
  defaultRadius: 'md',
  radius: { sm: RADIUS, md: RADIUS, xl: RADIUS },
  // A short list, since every page load looks up each name until one matches.
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, Menlo, Consolas, monospace',
  fontSizes: { md: '0.875rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', fontWeight: '650', lineHeight: '1.35' },
      h2: { fontSize: '1rem', lineHeight: '1.5' },
      h3: { fontSize: '1rem', lineHeight: '1.5' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: OVERLAY,
    Drawer: OVERLAY,
    ActionIcon: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { radius: 'md', tt: 'none', fw: 500 } },
    // ARIA does not allow the placeholder in a menu. The first item gets the focus instead.
    Menu: { defaultProps: { position: 'bottom-end', shadow: 'md', withInitialFocusPlaceholder: false } },
  },
});

/** Mantine's text colours have a contrast below 4.5:1 on our backgrounds and on its hover colours. */
const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a626b',
    '--mantine-color-placeholder': '#69717a',
    '--mantine-color-error': '#bd2626',
    '--mantine-color-default-border': '#d5dadf',
    '--mantine-color-teal-light-color': '#06694b',
    '--mantine-color-indigo-light-hover': '#cbd6ff',
    '--mantine-color-orange-light-color': '#8f3205',
    '--page-background': '#f6f7f9',
  },
  dark: {
    '--mantine-color-dimmed': '#a6acb3',
    '--mantine-color-placeholder': '#9aa0a6',
    '--mantine-color-error': '#ff8787',
    '--page-background': '#1a1b1e',
  },
});

/** Props of the app's `MantineProvider`. */
export const mantine = {
  theme,
  cssVariablesResolver,
  defaultColorScheme: 'auto',
  getStyleNonce: () => styleNonce,
  withGlobalClasses: false,
} as const;
