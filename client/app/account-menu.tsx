import { Badge, Menu, NativeSelect, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { type ReactElement, useEffect, useState } from 'react';
import { roleName } from '../../shared/capabilities.ts';
import { useOwnSession } from '../api/session.ts';
import { deploymentName, environmentLabel } from '../deployment.ts';
import { counted } from '../lib/format-count.ts';
import { clockTime, offset } from '../lib/format-time.ts';
import { remember, remembered } from '../lib/tab-storage.ts';
import { chooseZone, chosenZone, minutesAhead, zoneName } from '../lib/time-zone.ts';
import { Dimmed } from '../ui/layout.tsx';
import { DialogForm, Modal } from '../ui/modal.tsx';
import { createIcon, IconLogout } from '../ui/shell-icons.tsx';
import { useSignOut } from './session-gate.tsx';

/** Selects the time zone. The page reloads, since rendered times would keep the old zone. */
export function ZoneDialog({ onClose }: { onClose: () => void }) {
  const [zone, setZone] = useState(chosenZone() ?? '');
  const [problem, setProblem] = useState<string>();
  const submit = (): void => {
    try {
      chooseZone(zone || undefined);
    } catch {
      setProblem('Your browser does not support this time zone.');
      return;
    }
    location.reload();
  };
  return (
    <Modal opened onClose={onClose} title="Time zone">
      <DialogForm onCancel={onClose} submit="Use this time zone" onSubmit={submit}>
        <Text size="sm">
          Times and days in lists, filters and charts use this time zone. Exported files always use UTC. The choice is
          saved in this browser, and the page reloads.
        </Text>
        <NativeSelect
          label="Time zone"
          data-autofocus
          value={zone}
          error={problem}
          data={[
            { value: '', label: `Browser default: ${Intl.DateTimeFormat().resolvedOptions().timeZone}` },
            // The chosen one may be an alias, which browsers do not list.
            ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...(zone === '' ? [] : [zone])]),
          ]}
          onChange={({ currentTarget }) => setZone(currentTarget.value)}
        />
      </DialogForm>
    </Modal>
  );
}

const SCHEMES = [
  { value: 'auto', label: 'System default' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/**
 * The account button with its menu, initially open.
 * @param props.onClose called by `lazyPart` if this component fails to load
 */
export function AccountMenu(props: { button: ReactElement; onShortcuts: () => void; onClose?: () => void }) {
  const {
    user: { email, role },
    expiry,
  } = useOwnSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isCompact, setCompact] = useState(remembered('density') === 'compact');
  const chooseCompact = (compact: boolean): void => {
    setCompact(compact);
    remember('density', compact ? 'compact' : undefined);
    document.documentElement.dataset['density'] = compact ? 'compact' : '';
  };
  const { signOut, pending } = useSignOut();
  const [choosingZone, setChoosingZone] = useState(false);
  // Mantine returns focus to the button only if the menu opens after the first render.
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  return (
    <>
      <Menu opened={opened} onChange={setOpened}>
        <Menu.Target>{props.button}</Menu.Target>
        {/* At 400% zoom, the menu is taller than a laptop screen. */}
        <Menu.Dropdown miw="15rem" maw="20rem" mah="calc(100dvh - 3.5rem)" style={{ overflow: 'auto' }}>
          <Menu.Label fw={400}>
            <Stack gap={4} align="flex-start" style={{ overflowWrap: 'anywhere' }}>
              <Text span size="sm" c="bright" fw={600}>
                {email}
              </Text>
              <Badge component="span" variant="default">
                {roleName(role)}
              </Badge>
              <span>{[deploymentName, environmentLabel].filter(Boolean).join(' · ')}</span>
              {expiry !== undefined && (
                <span>Signed in until {clockTime(expiry.at, Date.now() + expiry.clockAheadMs)}</span>
              )}
              {expiry?.minutes !== undefined && (
                <span>
                  Sessions last {counted(expiry.minutes, 'minute', 'minutes')} here. An administrator can raise the
                  lifetime of tokens at the sign-in service.
                </span>
              )}
            </Stack>
          </Menu.Label>
          <Menu.Divider />
          <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}>
            {/* biome-ignore lint/a11y/useSemanticElements: a menu cannot contain a fieldset */}
            <div role="group" aria-label="Theme">
              {SCHEMES.map(({ value, label }) => (
                <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
                  {label}
                </Menu.RadioItem>
              ))}
            </div>
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.CheckboxItem checked={isCompact} onChange={chooseCompact} closeMenuOnClick={false}>
            Compact rows
          </Menu.CheckboxItem>
          <Menu.Divider />
          <Menu.Item leftSection={<IconClock />} onClick={() => setChoosingZone(true)}>
            Time zone…
            <Dimmed size="xs">
              {zoneName()} ({offset(minutesAhead(new Date()))})
            </Dimmed>
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

const IconClock = createIcon('M3 12a9 9 0 1 0 18 0a9 9 0 0 0 -18 0M12 7v5l3 3');

const IconKeyboard = createIcon(
  'M2 8a2 2 0 0 1 2 -2h16a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2v-8M6 10v.01M10 10v.01M14 10v.01M18 10v.01M6 14v.01M18 14v.01M10 14l4 .01',
);
