import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { LockedAccount, LockedAccountList } from '../../../../shared/security.ts';
import { lockedAccountsQuery } from '../../../api/security.ts';
import { counted, digits } from '../../../format/counted.ts';
import { UnlockDialog } from '../../../resource/unlock-dialog.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { IconSearch } from '../../../ui/icons.ts';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { LocksList } from './locks-list.tsx';
import { locksSearch } from './locks-search-params.ts';
import { locksWith } from './locks-with.ts';

const route = getRouteApi('/signed-in/security/locked-accounts');
export function LocksPage() {
  const { data, error, refetch } = useQuery(lockedAccountsQuery);
  const [unlocking, setUnlocking] = useState<LockedAccount>();
  const unlocked = useRef(false);
  // The row with the dialog's button disappears from the reloaded list, so focus cannot return to it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list is what removes the row
  useEffect(() => {
    if (!unlocked.current) return;
    unlocked.current = false;
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true });
  }, [data]);
  return (
    <Stack gap="md" pt="md">
      {error !== null && (
        <FailurePanel
          error={error}
          {...(data !== undefined && { title: 'This may be out of date' })}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined ? (
        error === null && <LoadingRows label="Loading the locked accounts" rows={3} height={56} />
      ) : data.total === 0 ? (
        <EmptyState
          kind="no-data"
          title="Nobody is locked out"
          text="Accounts appear here when the platform’s login page locks them."
        />
      ) : (
        <Locks list={data} onUnlock={setUnlocking} />
      )}
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
  // Keeps trailing spaces while the operator is typing; the address has none.
  const [text, setText] = useState(q ?? '');
  const look = (typed: string): void => {
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
        onChange={({ currentTarget }) => look(currentTarget.value)}
      />
      <Text size="sm" c="dimmed" role="status">
        {q === undefined
          ? counted(list.total, 'locked account', 'locked accounts')
          : `${digits(found.length)} of ${counted(list.total, 'locked account', 'locked accounts')}`}
        {list.truncated && `; the latest ${digits(list.data.length)} are listed and searched`}
      </Text>
      {found.length === 0 ? (
        <EmptyState
          kind="no-match"
          title="No locked account matches"
          text="No listed account has this text in its identifier."
          actions={
            <Button size="xs" variant="default" onClick={() => look('')}>
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
