import { ActionIcon, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { type Failure, FailureNote } from '../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks/use-single-flight.ts';
import { IconEye, IconEyeOff } from '../../ui/icons.ts';
import classes from './settings-table.module.css';

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
