import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OPERATOR_DAYS, OPERATORS_MAX, type OperatorsMissing } from '../../../../shared/security.ts';
import { useOperatorNames } from '../../../api/operator-names.ts';
import { operatorsQuery } from '../../../api/security.ts';
import { formatOperator } from '../../../audit-view/operator-names.ts';
import { counted } from '../../../format/counted.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import classes from '../row-list.module.css';
import { EndSessionsDialog } from './end-sessions-dialog.tsx';
import { OperatorRow } from './operator-row.tsx';

const MISSING: Record<OperatorsMissing, string> = {
  other_store: 'they are in another identity store than the one that is indexed',
  metadata_admin: 'their role is in metadata_admin, which is not indexed',
  no_index: 'there is no index of identities',
  still_reading: 'the identities are still being read',
};

/** Whom the list cannot know. */
const whoIsMissing = (missing: OperatorsMissing | null | undefined): string =>
  missing
    ? `Who has a role but has not signed in within ${OPERATOR_DAYS} days is not among them: ${MISSING[missing]}.`
    : '';

export function OperatorsPage() {
  const { data, error, refetch } = useQuery(operatorsQuery);
  const names = useOperatorNames(data?.operators.map(({ identity_id }) => identity_id) ?? []);
  const [ending, setEnding] = useState<string>();
  return (
    <Stack gap="md" pt="md">
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <LoadingRows label="Loading the operators" rows={3} height={56} />
      ) : data.operators.length === 0 ? (
        <EmptyState
          kind="no-data"
          title="No operators"
          text={`According to the audit trail, nobody has signed in within ${OPERATOR_DAYS} days. ${whoIsMissing(data.missing)}`.trim()}
        />
      ) : (
        <>
          <Text size="sm" c="dimmed" role="status">
            {data.truncated ? `More than ${OPERATORS_MAX}; the first ` : ''}
            {counted(data.operators.length, 'operator', 'operators')}, the latest sign-in first.{' '}
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
      )}
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
