import { Anchor, Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { roleName } from '../../../shared/capabilities.ts';
import {
  OPERATOR_DAYS,
  OPERATORS_MAX,
  type OperatorName,
  type OperatorSummary,
  type OperatorsMissing,
} from '../../../shared/security.ts';
import { useOperatorNames } from '../../api/names.ts';
import { endDashboardSessions, operatorsQuery } from '../../api/security.ts';
import { useOperator, useRefusal } from '../../api/session.ts';
import { formatOperator } from '../../audit/record-list.tsx';
import { counted } from '../../lib/format-count.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { CopyButton, GuardedButton } from '../../ui/buttons.tsx';
import { ConfirmDialog, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { toast } from '../../ui/toasts.tsx';
import classes from './security.module.css';

const MISSING: Record<OperatorsMissing, string> = {
  other_store: 'they are not in the identity store that is indexed',
  metadata_admin: 'their role is in metadata_admin, which is not indexed',
  no_index: 'there is no index of identities',
  still_reading: 'identities are still being indexed',
};

/** Who may be missing from the list. */
const whoIsMissing = (missing: OperatorsMissing | null | undefined): string =>
  missing
    ? `People with a role who have not signed in within ${OPERATOR_DAYS} days are not listed: ${MISSING[missing]}.`
    : '';

export function OperatorsPage() {
  const query = useQuery(operatorsQuery);
  const names = useOperatorNames(query.data?.operators.map(({ identity_id }) => identity_id) ?? []);
  const [ending, setEnding] = useState<string>();
  return (
    <Stack gap="md" pt="md">
      <QueryState query={query} loading={<LoadingRows label="Loading the operators" rows={3} height={56} />}>
        {(data) =>
          data.operators.length === 0 ? (
            <StatePanel
              kind="no-data"
              title="No operators"
              text={`According to the audit trail, nobody has signed in within ${OPERATOR_DAYS} days. ${whoIsMissing(data.missing)}`.trim()}
            />
          ) : (
            <>
              <Text size="sm" c="dimmed" role="status">
                {data.truncated ? `More than ${OPERATORS_MAX}; the first ` : ''}
                {counted(data.operators.length, 'operator', 'operators')}, latest sign-in first.{' '}
                {whoIsMissing(data.missing)}
              </Text>
              <Paper withBorder>
                <ul className={classes.list} aria-label="Operators">
                  {data.operators.map((operator) => (
                    <OperatorRow
                      key={operator.identity_id}
                      operator={operator}
                      name={names.get(operator.identity_id)}
                      onEnd={() => setEnding(operator.identity_id)}
                    />
                  ))}
                </ul>
              </Paper>
            </>
          )
        }
      </QueryState>
      {ending !== undefined && (
        <EndSessionsDialog
          id={ending}
          called={formatOperator(names.get(ending)) ?? ending}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Stack>
  );
}

function OperatorRow(props: { operator: OperatorSummary; name: OperatorName | undefined; onEnd: () => void }) {
  const { operator, name, onEnd } = props;
  const { identity_id: id, role, last_login_at } = operator;
  const self = useOperator();
  const refusal = useRefusal('operators.write');
  const factor = formatFactor(operator.second_factor);
  const isSelf = id === self.identityId;
  const called = formatOperator(name);
  return (
    <li className={classes.row}>
      <div>
        <Group gap="xs">
          <Anchor
            component={Link}
            size="sm"
            title={id}
            to={'/identities/$id' as never}
            params={{ id } as never}
            preload={false}
          >
            {called ?? (
              <Text component="span" inherit ff="monospace">
                {id}
              </Text>
            )}
          </Anchor>
          {called !== undefined && <CopyButton label={`Copy the id of ${called}`} read={() => id} />}
          {name?.email != null && name.name !== null && (
            <Text span size="xs">
              {visibleText(name.name)}
            </Text>
          )}
          <Badge size="sm" variant="default" tt="none" fw={500}>
            {role === null ? 'Role unknown' : roleName(role)}
          </Badge>
          {isSelf && (
            <Text span size="xs" c="dimmed">
              {called === self.email ? 'you' : `you, ${self.email}`}
            </Text>
          )}
        </Group>
        <Group gap="xs" mt={2}>
          <StatusDot status={factor.dot}>
            <Text span size="xs">
              {factor.words}
            </Text>
          </StatusDot>
          <Text span size="xs" c="dimmed">
            {last_login_at === null ? (
              `no sign-in within ${OPERATOR_DAYS} days`
            ) : (
              <>
                signed in <RelativeTime at={last_login_at} />
              </>
            )}
            {' · '}
            <Anchor
              component={Link}
              inherit
              to={'/security/audit' as never}
              underline="always"
              search={{ actor: id } as never}
              preload={false}
            >
              View activity
            </Anchor>
          </Text>
        </Group>
      </div>
      <GuardedButton
        reason={refusal}
        size="compact-sm"
        variant="default"
        aria-label={`End dashboard sessions of ${isSelf ? 'yourself' : (called ?? id)}`}
        onClick={onEnd}
      >
        End dashboard sessions…
      </GuardedButton>
    </li>
  );
}

/** @param props.called the operator's name in a sentence */
function EndSessionsDialog(props: { id: string; called: string; onClose: () => void }) {
  const { id, called, onClose } = props;
  const isSelf = useOperator().identityId === id;
  return (
    <ConfirmDialog
      title={isSelf ? 'End your own dashboard sessions?' : 'End all dashboard sessions of this operator?'}
      consequences={[
        isSelf
          ? 'You are signed out of this dashboard in every browser, including this one.'
          : `${called} is signed out of this dashboard in every browser.`,
        'Anyone who still has the role can sign in again. To keep somebody out, change their identity.',
        'Sessions of the platform itself are not affected.',
        SESSIONS_STAY_ENDED,
      ]}
      action="End dashboard sessions"
      onClose={onClose}
      act={async () => {
        await endDashboardSessions(id);
        toast('Dashboard sessions ended');
        onClose();
      }}
    />
  );
}

/** Whether an operator has a second factor; null when that cannot be determined. */
const formatFactor = (has: boolean | null): { words: string; dot: 'good' | 'warning' | 'off' } =>
  has === null
    ? { words: 'Second factor unknown', dot: 'off' }
    : has
      ? { words: 'Has a second factor', dot: 'good' }
      : { words: 'No second factor', dot: 'warning' };
