import { type ColorScheme, chooseScheme, useColorScheme } from '../lib/color-scheme.ts';
import { ActionIcon } from '../ui/elements/button.tsx';
import { IconDeviceDesktop, IconMoon, IconSun } from '../ui/icons.ts';

const NEXT: Record<ColorScheme, ColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' };
const NAMES: Record<ColorScheme, string> = { auto: 'system default', light: 'light', dark: 'dark' };

/** Cycles through system, light and dark. */
export function ColorSchemeButton() {
  const colorScheme = useColorScheme();
  const Icon = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon }[colorScheme];
  const next = NEXT[colorScheme];
  const label = `Colours: ${NAMES[colorScheme]}. Change to ${NAMES[next]}`;
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} title={label} onClick={() => chooseScheme(next)}>
      <Icon size={18} stroke={1.7} />
    </ActionIcon>
  );
}
