import { Badge, Menu, useMantineColorScheme } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { roleName } from '../../../shared/capabilities.ts';
import { useOwnSession } from '../../api/session.ts';
import { deploymentName, environmentLabel } from '../../deployment.ts';
import { offset, timeOfDay } from '../../format/english-time.ts';
import { minutesAhead, zoneName } from '../../lib/time-zone.ts';
import { drawn } from '../../ui/icon.tsx';
import { IconLogout } from '../../ui/icons.ts';
import { useSignOut } from '../use-sign-out.ts';
import classes from './account-menu.module.css';
import { ZoneDialog } from './zone-dialog.tsx';

const IconClock = drawn('M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0M12 7v5l3 3');
const IconKeyboard = drawn(
  'M2 8a2 2 0 0 1 2 -2h16a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2v-8M6 10v.01M10 10v.01M14 10v.01M18 10v.01M6 14v.01M18 14v.01M10 14l4 .01',
);

const SCHEMES = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/**
 * The button with its menu, which is open at first.
 * @param props.onClose called if this could not be loaded
 */
export function AccountMenu(props: { button: ReactElement; onShortcuts: () => void; onClose?: () => void }) {
  const {
    user: { email, role },
    expiry,
  } = useOwnSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { signOut, pending } = useSignOut();
  const [choosingZone, setChoosingZone] = useState(false);
  return (
    <>
      <Menu defaultOpened>
        <Menu.Target>{props.button}</Menu.Target>
        <Menu.Dropdown className={classes.panel}>
          <Menu.Label className={classes.operator}>
            <strong>{email}</strong>
            <Badge component="span" size="sm" variant="default" tt="none" fw={500}>
              {roleName(role)}
            </Badge>
            <span>{[deploymentName, environmentLabel].filter(Boolean).join(' · ')}</span>
            {expiry !== undefined && (
              <span>Signed in until {timeOfDay(new Date(expiry.at), Date.now() + expiry.clockAheadMs)}</span>
            )}
          </Menu.Label>
          <Menu.Divider />
          <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}>
            {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu */}
            <div role="group" aria-label="Colours">
              {SCHEMES.map(({ value, label }) => (
                <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
                  {label}
                </Menu.RadioItem>
              ))}
            </div>
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item leftSection={<IconClock />} onClick={() => setChoosingZone(true)}>
            Time zone…
            <small className={classes.now}>
              {zoneName()} ({offset(minutesAhead(new Date()))})
            </small>
          </Menu.Item>
          <Menu.Item leftSection={<IconKeyboard />} onClick={props.onShortcuts}>
            Keyboard shortcuts
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout />} closeMenuOnClick={false} onClick={() => void signOut()}>
            {pending ? 'Signing out…' : 'Sign out'}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {choosingZone && <ZoneDialog onClose={() => setChoosingZone(false)} />}
    </>
  );
}
