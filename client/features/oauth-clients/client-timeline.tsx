import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { timeOf } from '../../../shared/json.ts';
import { clientQuery, type OauthClient } from '../../api/oauth-clients.ts';
import { useRecord } from '../../record/tabs.tsx';
import { Timeline } from '../../record/timeline.tsx';
import { EVERYTHING, type TimelineLine, TrailLink, useTrailSource } from '../../record/timeline-sources.tsx';
import { textMember } from './client-members.ts';

const KINDS = [
  ['trail', 'Changes here'],
  ['record', 'Record'],
] as const;

const LIMITS = [
  'The OAuth server lists consents by person, not by client, and keeps no list of tokens: neither is shown.',
  'Changes that were made past this dashboard leave only the time of the last one.',
];

/** What happened around a client: as much of it as can be asked by client. */
export function ClientTimeline() {
  const client = useRecord(clientQuery);
  const subject = `client:${client.client_id}` as const;
  return (
    <Timeline
      kinds={KINDS}
      sources={[
        useTrailSource(subject),
        { name: 'the record', kinds: ['record'], lines: recordLines(client), readTo: EVERYTHING },
      ]}
      limits={LIMITS}
      beside={<TrailLink subject={subject} />}
    />
  );
}

/** The OAuth server writes both times in one act. */
const SAME_ACT_MS = 1_000;

function recordLines(client: OauthClient): TimelineLine[] {
  const [created, updated] = [textMember(client, 'created_at'), textMember(client, 'updated_at')];
  const line = (id: string, at: string, words: string): TimelineLine => ({
    id,
    at,
    kind: 'record',
    text: (
      <Anchor
        inherit
        underline="always"
        renderRoot={(props) => (
          <Link {...props} to="/oauth/clients/$id" params={{ id: client.client_id }} preload={false} />
        )}
      >
        {words}
      </Anchor>
    ),
  });
  const lines: TimelineLine[] = [];
  if (created !== '') lines.push(line('created', created, 'The client was created'));
  if (timeOf(updated) - timeOf(created) > SAME_ACT_MS)
    lines.push(line('updated', updated, 'The client’s record was last changed'));
  return lines;
}
