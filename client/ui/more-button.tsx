import { ActionIcon } from '@mantine/core';
import { cloneElement, useState } from 'react';
import { lazyPart } from './lazy-part.tsx';
import type { MenuOfButton } from './menu-of-button.tsx';
import { IconDots } from './shell-icons.tsx';

const Menu = lazyPart(() => import('./menu-of-button.tsx'), 'MenuOfButton');

/** The button “⋯”, whose menu loads when it is pressed. */
export function MoreButton(
  props: Pick<Parameters<typeof MenuOfButton>[0], 'items'> & { className?: string | undefined },
) {
  const [opened, setOpened] = useState(false);
  const open = (): void => void Menu.preload?.()?.then(() => setOpened(true));
  const button = (
    <ActionIcon
      variant="default"
      aria-label="More actions"
      title="More actions"
      autoFocus={opened}
      className={props.className}
    >
      <IconDots size={18} />
    </ActionIcon>
  );
  return opened ? (
    <Menu button={button} items={props.items} onClose={() => setOpened(false)} />
  ) : (
    cloneElement(button, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: open })
  );
}
