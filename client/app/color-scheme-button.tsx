import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '../ui/icons.ts';

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' };
const NAMES: Record<MantineColorScheme, string> = { auto: 'system default', light: 'light', dark: 'dark' };

/** Cycles through system, light and dark. */
export function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Icon = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon }[colorScheme];
  const next = NEXT[colorScheme];
  const label = `Colours: ${NAMES[colorScheme]}. Change to ${NAMES[next]}`;
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} title={label} onClick={() => setColorScheme(next)}>
      <Icon size={18} stroke={1.7} />
    </ActionIcon>
  );
}
