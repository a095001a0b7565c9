import { Badge, Button, Group, Menu, Modal, NativeSelect, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { roleName } from '../../shared/capabilities.ts';
import { useOwnSession } from '../api/session.ts';
import { deploymentName, environmentLabel } from '../deployment.ts';
import { offset, timeOfDay } from '../lib/format-time.ts';
import { chooseZone, chosenZone, minutesAhead, zoneName } from '../lib/time-zone.ts';
import { IconClock, IconKeyboard, IconLogout } from '../ui/icons.tsx';
import classes from './account-menu.module.css';
import { useSignOut } from './session-banner.tsx';

const UTC = 'UTC';

/** In which zone times are told and days begin. The page is loaded again, as what was drawn keeps the zone before. */
export function ZoneDialog({ onClose }: { onClose: () => void }) {
  const [zone, setZone] = useState(chosenZone() ?? '');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      chooseZone(zone || undefined);
    } catch {
      setProblem('This browser cannot keep the choice, or does not know this zone.');
      return;
    }
    location.reload();
  };
  return (
    <Modal opened onClose={onClose} title="Time zone">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">
            Exact times are told in this zone, and days begin by its clocks: in filters, headings and charts. Exported
            files always have UTC. The choice is kept in this browser; the page is loaded again.
          </Text>
          <NativeSelect
            label="Time zone"
            data-autofocus
            value={zone}
            error={problem}
            data={[
              { value: '', label: `This browser’s: ${Intl.DateTimeFormat().resolvedOptions().timeZone}` },
              UTC,
              ...zones(zone),
            ]}
            onChange={({ currentTarget }) => setZone(currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => onClose()}>
              Cancel
            </Button>
            <Button type="submit">Use this zone</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** All that this browser knows; the chosen one may have a name besides. */
function zones(chosen: string): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  const others = known.includes(chosen) || chosen === '' ? known : [chosen, ...known];
  return others.filter((zone) => zone !== UTC);
}

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
