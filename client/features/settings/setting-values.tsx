import { Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { Setting, SettingVersion } from '../../../shared/settings.ts';
import { useCan } from '../../api/session.ts';
import { decryptSetting } from '../../api/settings.ts';
import { visibleLines } from '../../lib/visible-text.ts';
import { IconButton } from '../../ui/buttons.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { FactList } from '../../ui/facts.tsx';
import { FailureNote } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconEye, IconEyeOff } from '../../ui/icons.tsx';
import { Dimmed } from '../../ui/layout.tsx';
import classes from './settings.module.css';

const REVEALED_MS = 30_000;

/**
 * An encrypted value: masked, and for those who may decrypt it revealed for 30 seconds with one decrypt request, or
 * copied without appearing on screen.
 * @param name names the setting or version
 * @param read decrypts the value
 */
export function SecretValue(props: { name: string; read: () => Promise<string>; tabIndex?: number | undefined }) {
  const { name, read, tabIndex } = props;
  const [value, setValue] = useState<string>();
  const { run, pending, failure, setFailure } = useSingleFlight();
  const mayDecrypt = useCan()('settings.decrypt');
  const masked = value === undefined;

  useEffect(() => {
    if (masked) return;
    const timer = setTimeout(() => setValue(undefined), REVEALED_MS);
    return () => clearTimeout(timer);
  }, [masked]);

  const reveal = () => run(async () => setValue(await read()));
  const mask = (
    <Text span size="sm" c="dimmed" lh="1.75rem" lts="0.1em" aria-label="Encrypted">
      ••••••••
    </Text>
  );
  if (!mayDecrypt) return mask;

  return (
    <div>
      <Group gap={4} wrap="nowrap" align="flex-start">
        {masked ? (
          mask
        ) : (
          <Text span size="sm" ff="monospace" className={classes.revealed} data-testid="revealed-value">
            {value === '' ? <em>empty</em> : value}
          </Text>
        )}
        <IconButton
          label={`${masked ? 'Reveal' : 'Hide'} ${name}`}
          title={masked ? 'Reveal for 30 seconds (recorded in the audit trail)' : 'Hide'}
          tabIndex={tabIndex}
          loading={pending}
          onClick={() => (masked ? void reveal() : setValue(undefined))}
        >
          {masked ? <IconEye /> : <IconEyeOff />}
        </IconButton>
        <CopyButton
          what={`the value of ${name}`}
          read={() => value ?? read()}
          onError={setFailure}
          tabIndex={tabIndex}
        />
      </Group>
      {!masked && (
        <Dimmed size="xs" role="status">
          Hidden again after 30 seconds.
        </Dimmed>
      )}
      <FailureNote error={failure} />
    </div>
  );
}

/**
 * Compares an earlier version with the current setting. A secret in the earlier version is revealed in its row instead.
 * @param now null if the setting is deleted
 */
export function VersionComparison(props: { settingKey: string; now: Setting | null; version: SettingVersion }) {
  const { settingKey, now, version } = props;
  const stored = now?.encrypted ? (
    <SecretValue key={now.updated_at} name={`${settingKey}, now`} read={() => decryptSetting(settingKey)} />
  ) : (
    now && <PlainValue value={now.value} />
  );
  const same = now !== null && !now.encrypted && !version.encrypted && now.value === version.value;
  const facts: [string, ReactNode][] = [];
  if (!version.encrypted) facts.push(['Value then', <PlainValue key="then" value={version.value} />]);
  if (now !== null) facts.push([same ? 'Value now (unchanged)' : 'Value now', stored]);
  if (now?.category !== version.category) facts.push(['Category then', version.category ?? <em>none</em>]);
  if (now !== null && now.category !== version.category) facts.push(['Category now', now.category ?? <em>none</em>]);
  if (now !== null && now.encrypted !== version.encrypted)
    facts.push(['Stored then', storageOf(version)], ['Stored now', storageOf(now)]);
  return (
    <>
      <FactList facts={facts} />
      {version.encrypted && now?.encrypted === false && (
        <Text size="sm">Restoring stores the setting encrypted again.</Text>
      )}
    </>
  );
}

const storageOf = ({ encrypted }: { encrypted: boolean }): string => (encrypted ? 'encrypted' : 'in plain text');

const PlainValue = ({ value }: { value: string }) =>
  value === '' ? (
    <em>empty</em>
  ) : (
    // Scrollable text must be reachable by keyboard.
    <Text
      size="sm"
      ff="monospace"
      component="div"
      className={classes.versionValue}
      tabIndex={value.length > MAY_SCROLL ? 0 : undefined}
    >
      {visibleLines(value)}
    </Text>
  );

/** A value with more characters than this may need to scroll. */
const MAY_SCROLL = 150;
