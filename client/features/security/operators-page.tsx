import { Badge, Box, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EXTRA_ROLES, roleName } from '../../../shared/capabilities.ts';
import { DUTIES, hasDuty } from '../../../shared/role-duties.ts';
import {
  CLAIMS_OPERATOR,
  OPERATOR_DAYS,
  OPERATORS_MAX,
  type OperatorName,
  type OperatorSummary,
  type OperatorsMissing,
} from '../../../shared/security.ts';
import type { Configuration } from '../../../shared/upstreams.ts';
import { useOperatorNames } from '../../api/names.ts';
import { endDashboardSessions, operatorsQuery } from '../../api/security.ts';
import { configurationQuery } from '../../api/services.ts';
import { useCan, useOperator, useRefusal } from '../../api/session.ts';
import { formatOperator } from '../../audit/record-names.tsx';
import { roles } from '../../deployment.ts';
import { counted } from '../../lib/format-count.ts';
import { sessionEnded } from '../../lib/sign-in.ts';
import { capitalised, shortened } from '../../lib/visible-text.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { ConfirmDialog, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { Section, TextLink } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { IdentityLink, Person } from '../../ui/person.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { toast } from '../../ui/toasts.tsx';

export function OperatorsPage() {
  const query = useQuery(operatorsQuery);
  const { data: configuration } = useQuery({ ...configurationQuery, enabled: useCan()('configuration.read') });
  const names = useOperatorNames(query.data?.operators.map(({ identity_id }) => identity_id) ?? []);
  return (
    <Stack gap="md">
      <QueryState query={query} loading={<LoadingRows label="Loading the operators" rows={3} height={56} />}>
        {({ operators, truncated, missing }) =>
          operators.length === 0 ? (
            <StatePanel
              kind="no-data"
              title="No operators"
              text={`According to the audit trail, nobody signed in during the last ${OPERATOR_DAYS} days. ${whoIsMissing(missing)}`.trim()}
            />
          ) : (
            <>
              <Text size="sm" c="dimmed" role="status">
                {truncated ? `More than ${OPERATORS_MAX}; the first ` : ''}
                {counted(operators.length, 'operator', 'operators')}, latest sign-in first.{' '}
                {[configuration && sourceOf(configuration), whoIsMissing(missing)].filter(Boolean).join(' ')}
              </Text>
              <Paper component="ul" withBorder data-rows aria-label="Operators">
                {operators.map((operator) => (
                  <OperatorRow
                    key={operator.identity_id}
                    operator={operator}
                    found={names.get(operator.identity_id)}
                    byEmail={configuration?.features.operators_from === 'email'}
                  />
                ))}
              </Paper>
            </>
          )
        }
      </QueryState>
      {EXTRA_ROLES.some((role) => roles().includes(role)) && <RoleTable />}
    </Stack>
  );
}

const RoleTable = () => (
  <Section title="What each role may do" about="Only administrators may change the identities of operators.">
    <Table fz={{ base: 'xs', sm: 'sm' }} horizontalSpacing={4} verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">May</Table.Th>
          {roles().map((role) => (
            // Full names would be too wide for a phone.
            <Table.Th key={role} scope="col" ta="center">
              {capitalised(role)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      {Object.entries(DUTIES).map(([group, duties]) => (
        <Table.Tbody key={group}>
          <Table.Tr>
            <Table.Th scope="rowgroup" colSpan={roles().length + 1}>
              {group}
            </Table.Th>
          </Table.Tr>
          {duties.map((duty) => (
            <Table.Tr key={duty[0]}>
              <Table.Th scope="row" fw={400}>
                {duty[0]}
              </Table.Th>
              {roles().map((role) => (
                <Table.Td key={role} ta="center" {...(!hasDuty(role, duty) && { c: 'dimmed' })}>
                  {hasDuty(role, duty) ? 'Yes' : 'No'}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      ))}
    </Table>
  </Section>
);

/** Where operators come from, and when a change there applies: the length of a session is the limit. */
function sourceOf({ features, session_max_age_seconds: seconds }: Configuration): string {
  const limit = `at the next sign-in, at most ${counted(seconds / 3600, 'hour', 'hours')} later.`;
  if (features.operators_from === 'claims')
    return `The sign-in service decides who is an operator, and with which role. Changes there apply ${limit}`;
  if (features.operators_from === 'email')
    return `Operators are identities with a role, found by the e-mail address that the sign-in service has verified. Changes at the sign-in service apply ${limit}`;
  return 'Operators are identities with a role.';
}

const MISSING: Record<OperatorsMissing, string> = {
  other_store: 'their identity store is not indexed',
  metadata_admin: 'their role is in metadata_admin, which is not indexed',
  no_index: 'there is no index of identities',
  still_reading: 'identities are still being indexed',
  provider: 'only the sign-in service knows them',
};

const whoIsMissing = (missing: OperatorsMissing | null | undefined): string =>
  missing
    ? `People with a role who have not signed in${missing === 'provider' ? '' : ` within ${OPERATOR_DAYS} days`} are not listed: ${MISSING[missing]}.`
    : '';

/**
 * @param props.found undefined until the names have loaded, or if the operator has no name
 * @param props.byEmail whether the sign-in service vouches for operators by their addresses
 */
function OperatorRow(props: { operator: OperatorSummary; found: OperatorName | undefined; byEmail: boolean }) {
  const { operator, found, byEmail } = props;
  const { identity_id: id, role, last_login_at } = operator;
  const self = useOperator();
  const refusal = useRefusal('operators.write');
  const [ending, setEnding] = useState(false);
  const isSelf = id === self.identityId;
  const isByClaims = id.startsWith(CLAIMS_OPERATOR);
  const Name = isByClaims ? Person : IdentityLink;
  const name = formatOperator(found);
  return (
    <Group component="li" gap="0.5rem 1rem" px="md" py={10}>
      <Group flex="1 1 20rem" gap="xs" miw={0}>
        {/* As wide as once the names have loaded, so that nothing moves. */}
        <Box flex="0 1 17rem" miw={0}>
          <Name name={found?.name ?? undefined} identifier={found?.email ?? undefined} id={id} />
        </Box>
        {name !== undefined && <CopyButton what={`the ID of ${name}`} read={() => id} />}
        <Badge variant="default">{role === null ? 'Role unknown' : roleName(role)}</Badge>
        {isSelf && (
          <Text span size="xs" c="dimmed">
            {name === self.email ? 'you' : `you, ${self.email}`}
          </Text>
        )}
      </Group>
      <Box flex="1 1 14rem">
        <StatusDot {...(isByClaims || byEmail ? FACTOR_ELSEWHERE : FACTORS[`${operator.second_factor}`])} />
        <Text size="xs" c="dimmed">
          {last_login_at === null ? (
            `No sign-in within ${OPERATOR_DAYS} days`
          ) : (
            <>
              Signed in <RelativeTime at={last_login_at} />
            </>
          )}
          {' · '}
          <TextLink inherit to="/security/audit" underline="always" search={{ actor: id, changes: 'true' } as never}>
            View activity
          </TextLink>
        </Text>
      </Box>
      <SmallButton
        reason={refusal}
        aria-label={`End dashboard sessions of ${isSelf ? 'your account' : (name ?? id)}`}
        onClick={() => setEnding(true)}
      >
        End dashboard sessions…
      </SmallButton>
      {ending && (
        <ConfirmDialog
          title={isSelf ? 'End your dashboard sessions?' : `End the dashboard sessions of ${shortened(name ?? id)}?`}
          consequence={
            isSelf
              ? 'You are signed out of this dashboard in every browser, including this one.'
              : 'The operator is signed out of this dashboard in every browser.'
          }
          details={[
            `Operators who still have a role can sign in again. To keep somebody out, ${isByClaims ? 'remove their role at the sign-in service' : 'change their identity'}.`,
            `Sessions ${isByClaims ? 'at the sign-in service' : 'of the platform itself'} are not affected.`,
            SESSIONS_STAY_ENDED,
          ]}
          action="End dashboard sessions"
          onClose={() => setEnding(false)}
          act={async (reason) => {
            await endDashboardSessions(id, reason);
            if (isSelf) sessionEnded();
            toast(
              isSelf ? 'Ended your dashboard sessions' : `Ended the dashboard sessions of ${shortened(name ?? id)}`,
            );
            setEnding(false);
          }}
        />
      )}
    </Group>
  );
}

const FACTORS = {
  true: { children: 'Has a second factor', status: 'good' },
  false: { children: 'No second factor', status: 'warning' },
  null: { children: 'Second factor unknown', status: 'off' },
} as const;
const FACTOR_ELSEWHERE = { children: 'Second factor at the sign-in service', status: 'off' } as const;
