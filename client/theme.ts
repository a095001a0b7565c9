import { type CSSVariablesResolver, createTheme, type MantineThemeOverride } from '@mantine/core';
import type { Deployment } from '../shared/upstreams.ts';
import { deployment } from './deployment.ts';

/** Of the page's Content-Security-Policy, for `<style>` elements created at run time. */
const styleNonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// react-remove-scroll, which dialogs use, looks for it under webpack's name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

/** An accent for each deployment, starting at the first shades on which white text has a contrast of 4.5:1. */
const ACCENTS: Record<Deployment, Pick<MantineThemeOverride, 'primaryColor' | 'primaryShade'>> = {
  customer: { primaryColor: 'indigo', primaryShade: { light: 7, dark: 8 } },
  workforce: { primaryColor: 'teal', primaryShade: { light: 9, dark: 9 } },
};

const OVERLAY = {
  styles: { title: { fontWeight: 650 } },
  defaultProps: {
    closeButtonProps: { 'aria-label': 'Close' },
    // The shell's header is the page's banner already.
    attributes: { header: { role: 'presentation' } },
  },
};

const theme = createTheme({
  ...ACCENTS[deployment],
  defaultRadius: 'md',
  // The browser looks up every font name that comes before the one it finds, on every page.
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: OVERLAY,
    Drawer: OVERLAY,
    Kbd: { defaultProps: { size: 'xs' } },
    List: { defaultProps: { size: 'sm' } },
    // The focus goes to the first item; its placeholder is no child that a menu may have.
    Menu: { defaultProps: { position: 'bottom-end', shadow: 'md', withInitialFocusPlaceholder: false } },
  },
});

/** Texts in Mantine's colours miss 4.5:1 on our backgrounds, and on its own under the pointer. */
const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a626b',
    '--mantine-color-placeholder': '#69717a',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-teal-light-color': '#06694b',
    '--mantine-color-indigo-light-hover': '#cbd6ff',
    '--mantine-color-orange-light-color': '#8f3205',
    '--page-background': '#f6f7f9',
    '--surface-line': 'var(--mantine-color-gray-3)',
    '--surface-soft': 'var(--mantine-color-gray-0)',
  },
  dark: {
    '--mantine-color-dimmed': '#a6acb3',
    '--mantine-color-placeholder': '#9aa0a6',
    '--mantine-color-error': '#ff8787',
    '--page-background': '#1a1b1e',
    '--surface-line': 'var(--mantine-color-dark-4)',
    '--surface-soft': 'var(--mantine-color-dark-6)',
  },
});

/** Properties of the app's `MantineProvider`. */
export const mantine = {
  theme,
  cssVariablesResolver,
  defaultColorScheme: 'auto',
  getStyleNonce: () => styleNonce,
  withGlobalClasses: false,
} as const;
