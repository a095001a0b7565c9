import { Button, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import type { LockedAccount } from '../../../../shared/security.ts';
import { useRefusal } from '../../../api/session.ts';
import { digits } from '../../../format/counted.ts';
import { formatReason } from '../../../format/lock-reason.ts';
import { GuardedButton } from '../../../ui/guarded-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import classes from '../row-list.module.css';

/** Rows shown at first and added by each “Show more”. */
const ROWS_STEP = 100;

export function LocksList(props: { accounts: readonly LockedAccount[]; onUnlock: (account: LockedAccount) => void }) {
  const { accounts, onUnlock } = props;
  const refusal = useRefusal('locks.write');
  const [limit, setLimit] = useState(ROWS_STEP);
  return (
    <Paper withBorder>
      <ul className={classes.list} aria-label="Locked accounts">
        {accounts.slice(0, limit).map((account) => (
          <li key={account.id} className={classes.row}>
            <div>
              <Text size="sm" fw={500}>
                {account.identifier}
              </Text>
              <Text size="xs" c="dimmed">
                {formatReason(account)}
                {account.trigger_ip !== null && ` · from ${account.trigger_ip}`}
                {' · locked '}
                <RelativeTime at={account.locked_at} />
                {account.locked_until === null ? (
                  ', until it is unlocked'
                ) : (
                  <>
                    , ends <RelativeTime at={account.locked_until} />
                  </>
                )}
              </Text>
            </div>
            <GuardedButton
              reason={refusal}
              size="compact-sm"
              variant="default"
              aria-label={`Unlock ${account.identifier}`}
              onClick={() => onUnlock(account)}
            >
              Unlock…
            </GuardedButton>
          </li>
        ))}
      </ul>
      {accounts.length > limit && (
        <Group p="md" justify="center">
          <Text size="sm" c="dimmed">
            {digits(limit)} of {digits(accounts.length)} rows shown
          </Text>
          <Button size="xs" variant="default" onClick={() => setLimit(limit + ROWS_STEP)}>
            Show {ROWS_STEP} more
          </Button>
        </Group>
      )}
    </Paper>
  );
}
