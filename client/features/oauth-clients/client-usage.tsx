import { useQuery } from '@tanstack/react-query';
import { clientUsageQuery } from '../../api/oauth-clients.ts';
import { useCan } from '../../api/session.ts';
import { signInCoverageQuery, signInsPageQuery } from '../../api/sign-ins.ts';
import { hasSignInLog } from '../../deployment.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { formatReports, formatSignIn, joined } from '../../lib/sign-in-words.ts';
import { Details } from '../../ui/confirm-dialog.tsx';
import { exactTime, FactList, RelativeTime } from '../../ui/facts.tsx';
import { FailureNote } from '../../ui/failure-panel.tsx';
import { Dimmed, Section, TextLink } from '../../ui/layout.tsx';

const REFUSALS_SHOWN = 5;

/** What the sign-in log has of a client: its last use, its tokens by day, and the refusals that name it. */
export function ClientUsage({ id }: { id: string }) {
  const enabled = useCan()('clients.read') && hasSignInLog();
  const refusals = { client_id: id, outcome: 'failed' };
  const { data: usage, error } = useQuery({ ...clientUsageQuery(id), enabled });
  const { data: refused } = useQuery({ ...signInsPageQuery({ ...refusals, pageSize: REFUSALS_SHOWN }), enabled });
  const { data: coverage } = useQuery({ ...signInCoverageQuery, enabled });
  if (!enabled) return null;
  const { last_used_at = null, tokens = [] } = usage?.clients[0] ?? {};
  const days = tokens.map(({ day, count }) => `${day}: ${counted(count, 'token', 'tokens')}`);
  const total = tokens.reduce((sum, { count }) => sum + count, 0);
  const refusedRows = refused?.rows.map(({ id, at, ip, place, ...event }) => (
    <div key={id}>
      <RelativeTime at={at} />
      {`: ${joined(formatSignIn(event), ip, place)}`}
    </div>
  ));
  return (
    <Section title="Usage" about={coverage && formatReports(coverage, 'oauth')}>
      {error !== null && <FailureNote error={error} />}
      {usage?.since && (
        <FactList
          facts={[
            [
              'Last used',
              last_used_at ? <RelativeTime key="at" at={last_used_at} /> : `not since ${exactTime(usage.since)}`,
            ],
            ['Tokens in 30 days', digits(total)],
            ['Latest refusals', refusedRows?.length === 0 ? 'none' : refusedRows],
          ]}
        />
      )}
      <Dimmed my="xs">
        A request with a wrong secret does not name the client, and is counted by address.{' '}
        <TextLink inherit underline="always" to="/security/sign-ins" search={refusals as never}>
          All refusals that name it
        </TextLink>
      </Dimmed>
      <Details summary="Tokens by day (UTC)" sentences={days.toReversed()} />
    </Section>
  );
}
