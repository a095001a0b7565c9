import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { clientUsageQuery } from '../../api/oauth-clients.ts';
import { useCan } from '../../api/session.ts';
import { signInCoverageQuery, signInsPageQuery } from '../../api/sign-ins.ts';
import { hasSignInLog } from '../../deployment.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { gapsSince } from '../../lib/sign-in-gaps.ts';
import { formatSignIn } from '../../lib/sign-in-words.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Details } from '../../ui/confirm-dialog.tsx';
import { exactTime, FactList, RelativeTime } from '../../ui/facts.tsx';
import { FailureNote } from '../../ui/failure-panel.tsx';
import { Section, TextLink } from '../../ui/layout.tsx';

const REFUSALS_SHOWN = 5;

/** What the sign-in log has of a client: its last use, its tokens by day, and the refusals that name it. */
export function ClientUsage({ id }: { id: string }) {
  const enabled = useCan()('client-usage.read') && hasSignInLog();
  const refusals = { client_id: id, outcome: 'failed' };
  const { data: usage, error } = useQuery({ ...clientUsageQuery(id), enabled });
  const { data: refused } = useQuery({ ...signInsPageQuery({ ...refusals, pageSize: REFUSALS_SHOWN }), enabled });
  const { data: coverage } = useQuery({ ...signInCoverageQuery, enabled });
  if (!enabled) return null;
  const [client] = usage?.clients ?? [];
  const since = usage?.since ?? undefined;
  const gaps = coverage && since ? gapsSince(coverage, 'oauth', Date.parse(since)).length : 0;
  const tokens = (client?.tokens ?? []).map(({ day, count }) => `${day}: ${counted(count, 'token', 'tokens')}`);
  const total = client?.tokens.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const refusedRows = refused?.rows.map(({ id, at, ip, place, ...event }) => (
    <div key={id}>
      <RelativeTime at={at} />
      {`: ${[formatSignIn(event), ip, place].flatMap((part) => (part ? visibleText(part) : [])).join(' · ')}`}
    </div>
  ));
  return (
    <Section title="Usage" about="As the OAuth server reports it.">
      {error !== null && <FailureNote error={error} />}
      {usage?.since === null && <Text size="sm">The OAuth server has not reported anything yet.</Text>}
      {since !== undefined && (
        <FactList
          facts={[
            ['Last used', client ? <RelativeTime key="used" at={client.last_used_at} /> : 'no use reported'],
            ['Reported since', exactTime(since) + (gaps > 0 ? `, with ${counted(gaps, 'gap', 'gaps')}` : '')],
            ['Tokens in 30 days', digits(total)],
            ['Latest refusals', refusedRows?.length === 0 ? 'none' : refusedRows],
          ]}
        />
      )}
      <Text size="sm" c="dimmed" my="xs">
        A request with a wrong secret does not name the client, and is counted by address.{' '}
        <TextLink inherit to="/security/sign-ins" search={refusals as never}>
          All refusals that name it
        </TextLink>
      </Text>
      <Details summary="Tokens by day (UTC)" sentences={tokens.toReversed()} />
    </Section>
  );
}
