import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { shownScheme } from '../../lib/color-scheme.ts';
import { styleNonce } from '../../lib/style-nonce.ts';

const OVERLAY = {
  styles: { title: { fontWeight: 650 } },
  // The shell's header is the page's banner already.
  defaultProps: { attributes: { header: { role: 'presentation' } } },
};
const THEME = {
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: { Modal: OVERLAY, Drawer: OVERLAY },
} as const;

/**
 * What Mantine's dialogs need around them. Only those come from Mantine, whose provider and styling would be a
 * fifth of the script before the first page; its variables are in the app's style sheet.
 */
export const Overlay = ({ children }: { children: ReactNode }) => (
  <MantineProvider
    theme={THEME}
    forceColorScheme={shownScheme()}
    getStyleNonce={() => styleNonce}
    withCssVariables={false}
    withGlobalClasses={false}
  >
    {children}
  </MantineProvider>
);
