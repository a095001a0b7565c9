import { type CSSVariablesResolver, createTheme } from '@mantine/core';
import { accent } from '../deployment.ts';

export const theme = createTheme({
  primaryColor: accent,
  // The first shades on which white text reaches 4.5:1, for either accent.
  primaryShade: accent === 'indigo' ? { light: 7, dark: 8 } : { light: 9, dark: 9 },
  defaultRadius: 'md',
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Modal: { styles: { title: { fontWeight: 650 } } },
    Drawer: { styles: { title: { fontWeight: 650 } } },
  },
});

/** Mantine's dimmed, placeholder and error greys miss 4.5:1 on our backgrounds. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a626b',
    '--mantine-color-placeholder': '#69717a',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-teal-light-color': '#06694b',
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
