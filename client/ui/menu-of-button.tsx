import { Menu } from '@mantine/core';
import { type ReactElement, useEffect, useState } from 'react';
import type { PageAction } from './pages.ts';

interface MenuItem extends PageAction {
  /** Irreversible: red, and separated at the end. */
  final?: boolean | undefined;
}

/**
 * A button with its open menu. Load it when the plain button is pressed.
 * @param props.onClose called by `lazyPart` if this component fails to load
 */
export function MenuOfButton(props: { button: ReactElement; items: readonly MenuItem[]; onClose?: () => void }) {
  // Mantine returns focus to the button only if the menu opens after the first render.
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  const final = props.items.filter((item) => item.final);
  const itemOf = ({ label, icon: Icon, run }: MenuItem, color?: string) => (
    <Menu.Item key={label} c={color} leftSection={<Icon />} onClick={run}>
      {label}
    </Menu.Item>
  );
  return (
    <Menu opened={opened} onChange={setOpened}>
      <Menu.Target>{props.button}</Menu.Target>
      <Menu.Dropdown>
        {props.items.filter((item) => !item.final).map((item) => itemOf(item))}
        {final.length > 0 && <Menu.Divider />}
        {final.map((item) => itemOf(item, 'var(--mantine-color-error)'))}
      </Menu.Dropdown>
    </Menu>
  );
}
