import { Box, Group, Paper, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { LockedAccount, LockedAccountList } from '../../../shared/security.ts';
import { lockedAccountsQuery } from '../../api/security.ts';
import { useCan, useRefusal } from '../../api/session.ts';
import { hasPeople } from '../../deployment.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { formatReason } from '../../lib/labels.ts';
import { FilterBar } from '../../list/filters.tsx';
import { NoMatch } from '../../list/search.tsx';
import { Toolbar } from '../../list/toolbar.tsx';
import { UnlockDialog } from '../../record/unlock-dialog.tsx';
import { SmallButton } from '../../ui/buttons.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { usePassFocusOn } from '../../ui/hooks.tsx';
import { Dimmed, TextLink } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { Person } from '../../ui/person.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';

const route = getRouteApi('/signed-in/security/locked-accounts');

export function LocksPage() {
  const query = useQuery(lockedAccountsQuery);
  return (
    <QueryState query={query} loading={<LoadingRows label="Loading the locked accounts" rows={3} height={56} />}>
      {(data) =>
        data.total === 0 ? (
          <StatePanel
            kind="no-data"
            title="Nobody is locked out"
            text="Accounts appear here when the platform’s login page locks them."
          />
        ) : (
          <Locks list={data} />
        )
      }
    </QueryState>
  );
}

function Locks({ list }: { list: LockedAccountList }) {
  const { q } = route.useSearch();
  // Identifiers are in lower case.
  const found = list.data.filter(({ identifier }) => identifier.includes(q?.toLowerCase() ?? ''));
  return (
    <>
      <Toolbar>
        <FilterBar label="Part of an identifier" explanation={() => null} />
      </Toolbar>
      <Text size="sm" c="dimmed" mb="sm" role="status">
        {q !== undefined && `${digits(found.length)} of `}
        {counted(list.total, 'locked account', 'locked accounts')}
        {list.truncated && `; the newest ${digits(list.data.length)} are listed and searched`}
      </Text>
      {found.length === 0 ? (
        <NoMatch
          title="No locked account matches"
          text="No listed account has this text in its identifier."
          offers={[{ label: 'Show all', to: { search: {} } }]}
        />
      ) : (
        <>
          <Paper component="ul" withBorder data-rows aria-label="Locked accounts">
            {found.slice(0, SHOWN_MAX).map((account) => (
              <LockRow key={account.id} account={account} />
            ))}
          </Paper>
          {found.length > SHOWN_MAX && (
            <Dimmed mt="sm">The newest {SHOWN_MAX} are shown. To find others, search for them.</Dimmed>
          )}
        </>
      )}
    </>
  );
}

/** More rows would take seconds on a slow machine. */
const SHOWN_MAX = 100;

function LockRow({ account }: { account: LockedAccount }) {
  const { id, identifier, trigger_ip, locked_at, locked_until } = account;
  const [isOpen, setOpen] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  usePassFocusOn(row);
  const mayFind = useCan()('identities.read') && hasPeople();
  const person = <Person name={undefined} identifier={identifier} id={id} />;
  return (
    <Group component="li" ref={row} gap="0.5rem 1rem" px="md" py="sm">
      <Box flex="1 1 16rem" miw={0}>
        {/* A search, since the table has no identity ids. Only the click finds the person, which leaves a record. */}
        {mayFind ? (
          <TextLink c="inherit" to="/identities" search={{ q: identifier }}>
            {person}
          </TextLink>
        ) : (
          person
        )}
        <Text size="xs" c="dimmed" ps="2.25rem" maw="none">
          {formatReason(account)}
          {trigger_ip !== null && ` · from ${trigger_ip}`}
          {' · locked '}
          <RelativeTime at={locked_at} />
          {locked_until === null ? ', until it is unlocked' : ', ends '}
          {locked_until !== null && <RelativeTime at={locked_until} />}
        </Text>
      </Box>
      <SmallButton reason={useRefusal('locks.write')} aria-label={`Unlock ${identifier}`} onClick={() => setOpen(true)}>
        Unlock…
      </SmallButton>
      {isOpen && <UnlockDialog account={account} onClose={() => setOpen(false)} />}
    </Group>
  );
}
