import { Box, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { LockedAccount, LockedAccountList } from '../../../shared/security.ts';
import { lockedAccountsQuery } from '../../api/security.ts';
import { useRefusal } from '../../api/session.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { formatReason } from '../../lib/labels.ts';
import { UnlockDialog } from '../../record/unlock-dialog.tsx';
import { GuardedButton } from '../../ui/buttons.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { Person } from '../../ui/person.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { IconSearch } from '../../ui/shell-icons.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { locksSearch } from './search-params.ts';

const route = getRouteApi('/signed-in/security/locked-accounts');

export function LocksPage() {
  const query = useQuery(lockedAccountsQuery);
  const [unlocking, setUnlocking] = useState<LockedAccount>();
  const unlocked = useRef(false);
  // Reloading the list removes the unlocked account's row, so focus cannot return to its button.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list is what removes the row
  useEffect(() => {
    if (!unlocked.current) return;
    unlocked.current = false;
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true });
  }, [query.data]);
  return (
    <Stack gap="md">
      <QueryState query={query} loading={<LoadingRows label="Loading the locked accounts" rows={3} height={56} />}>
        {(data) =>
          data.total === 0 ? (
            <StatePanel
              kind="no-data"
              title="Nobody is locked out"
              text="Accounts appear here when the platform’s login page locks them."
            />
          ) : (
            <Locks list={data} onUnlock={setUnlocking} />
          )
        }
      </QueryState>
      {unlocking !== undefined && (
        <UnlockDialog
          account={unlocking}
          onUnlocked={() => {
            unlocked.current = true;
          }}
          onClose={() => setUnlocking(undefined)}
        />
      )}
    </Stack>
  );
}

function Locks({ list, onUnlock }: { list: LockedAccountList; onUnlock: (account: LockedAccount) => void }) {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const found = locksWith(q, list.data);
  // Preserves trailing spaces while the operator is typing; the URL has none.
  const [text, setText] = useState(q ?? '');
  const search = (typed: string): void => {
    setText(typed);
    void navigate({ search: locksSearch({ q: typed }), replace: true });
  };
  return (
    <>
      <TextInput
        maw="28rem"
        aria-label="Part of an identifier"
        placeholder="Part of an identifier"
        leftSection={<IconSearch />}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => search(currentTarget.value)}
      />
      <Text size="sm" c="dimmed" role="status">
        {q === undefined
          ? counted(list.total, 'locked account', 'locked accounts')
          : `${digits(found.length)} of ${counted(list.total, 'locked account', 'locked accounts')}`}
        {list.truncated && `; the newest ${digits(list.data.length)} are listed and searched`}
      </Text>
      {found.length === 0 ? (
        <StatePanel
          kind="no-match"
          title="No locked account matches"
          text="No listed account has this text in its identifier."
          actions={
            <Button size="xs" variant="default" onClick={() => search('')}>
              Show all
            </Button>
          }
        />
      ) : (
        <LocksList key={q} accounts={found} onUnlock={onUnlock} />
      )}
    </>
  );
}

/** The number of initial rows, and of rows that each “Show more” adds. */
const ROWS_STEP = 100;

function LocksList(props: { accounts: readonly LockedAccount[]; onUnlock: (account: LockedAccount) => void }) {
  const { accounts, onUnlock } = props;
  const refusal = useRefusal('locks.write');
  const [limit, setLimit] = useState(ROWS_STEP);
  return (
    <Paper withBorder>
      <ul data-rows aria-label="Locked accounts">
        {accounts.slice(0, limit).map((account) => (
          <Group component="li" key={account.id} gap="0.5rem 1rem" px="md" py="sm">
            <Box flex="1 1 16rem" miw={0}>
              <Person name={undefined} identifier={account.identifier} id={account.id} />
              <Text size="xs" c="dimmed" ps="2.25rem">
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
            </Box>
            <GuardedButton
              reason={refusal}
              size="xs"
              variant="default"
              aria-label={`Unlock ${account.identifier}`}
              onClick={() => onUnlock(account)}
            >
              Unlock…
            </GuardedButton>
          </Group>
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

/** Accounts whose identifier contains the text. Identifiers are in lower case. */
const locksWith = (text: string | undefined, accounts: readonly LockedAccount[]): readonly LockedAccount[] =>
  text === undefined ? accounts : accounts.filter(({ identifier }) => identifier.includes(text.toLowerCase()));
