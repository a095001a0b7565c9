import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isAlwaysEncrypted, type Setting } from '../../../shared/settings.ts';
import { settingPath } from '../../api/settings.ts';
import { COPIES } from '../../record/actions.tsx';
import { CopyButton, copyAndSay } from '../../ui/buttons.tsx';
import { type Failure, FailureNote } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconEye, IconEyeOff } from '../../ui/icons.tsx';
import { IconCopy } from '../../ui/shell-icons.tsx';
import { knownKey } from './known-keys.ts';
import classes from './settings.module.css';

const SHOWN_MS = 30_000;

/**
 * An encrypted value: masked, revealed for 30 seconds with one decrypt request, or copied without being shown.
 * @param name whose value it is
 * @param read decrypts it
 */
export function SecretValue({ name, read }: { name: string; read: () => Promise<string> }) {
  const [value, setValue] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();

  useEffect(() => {
    if (value === undefined) return;
    const timer = setTimeout(() => setValue(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [value]);

  const reveal = () =>
    run(async () => {
      setFailure(undefined);
      try {
        setValue(await read());
      } catch (error) {
        setFailure(error as Error);
      }
    });

  return (
    <div>
      <Group gap={4} wrap="nowrap" align="flex-start">
        {value === undefined ? (
          <Text span size="sm" c="dimmed" className={classes.mask} aria-label="Encrypted">
            ••••••••
          </Text>
        ) : (
          <Text span size="sm" className={classes.revealed} data-testid="revealed-value">
            {value === '' ? <em>empty</em> : value}
          </Text>
        )}
        {value === undefined ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Reveal ${name}`}
            title="Reveal for 30 seconds (recorded in the audit trail)"
            loading={pending}
            onClick={() => void reveal()}
          >
            <IconEye />
          </ActionIcon>
        ) : (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Hide ${name}`}
            title="Hide"
            onClick={() => setValue(undefined)}
          >
            <IconEyeOff />
          </ActionIcon>
        )}
        <CopyButton label={`Copy the value of ${name}`} read={() => value ?? read()} onError={setFailure} />
      </Group>
      {value !== undefined && (
        <Text size="xs" c="dimmed" role="status">
          Hidden again after 30 seconds.
        </Text>
      )}
      <FailureNote error={failure} />
    </div>
  );
}

/** Words that name secrets, delimited by the key's dots, dashes, underscores and capitals. */
const SECRET_WORDS =
  /^(?:api)?keys?$|^(?:pass|pwd|passwd|passwords?|passphrase|passcode|pin|secrets?|tokens?|credentials?|private|salt|seed|hmac|dsn)$/;

/** Whether a setting with this key holds a secret, or probably does: `mail.smtp.password`, `stripe.apiKey`. */
export const looksSecret = (key: string): boolean =>
  isAlwaysEncrypted(key) || (knownKey(key) === undefined && namesSecret(key));

const namesSecret = (key: string): boolean =>
  key
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => SECRET_WORDS.test(word));

/** The stored setting to copy, an encrypted value masked as in the list. */
export function CopySetting({ setting }: { setting: Setting }) {
  const value = setting.encrypted ? { ...setting, value: '••••••••' } : setting;
  return (
    <Group gap="xs" mt="md">
      {COPIES.map(({ label, text }) => (
        <Button
          key={label}
          size="compact-xs"
          variant="subtle"
          leftSection={<IconCopy size={14} />}
          onClick={() => void copyAndSay(text({ path: settingPath(setting.key), value }))}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
