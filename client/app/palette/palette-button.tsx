import { Kbd, UnstyledButton } from '@mantine/core';
import { IconSearch } from '../../ui/icons.ts';
import classes from './palette-button.module.css';

const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

export function PaletteButton({ onClick }: { onClick: () => void }) {
  return (
    <UnstyledButton className={classes.button} onClick={onClick} aria-keyshortcuts="Control+K Meta+K">
      <IconSearch />
      <span className={classes.words}>Search or jump to…</span>
      <Kbd className={classes.key} aria-hidden>
        {MODIFIER} K
      </Kbd>
    </UnstyledButton>
  );
}
