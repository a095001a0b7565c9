import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OPERATOR_DAYS } from '../../../../shared/security.ts';
import { useOperatorNames } from '../../../api/operator-names.ts';
import { operatorsQuery } from '../../../api/security.ts';
import { formatOperator } from '../../../audit-view/operator-names.ts';
import { counted } from '../../../format/counted.ts';
import { Paper, Stack } from '../../../ui/elements/layout.tsx';
import { Text } from '../../../ui/elements/text.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { lazyDialog } from '../../../ui/loading/lazy-part.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import classes from '../row-list.module.css';
import { OperatorRow } from './operator-row.tsx';

const EndSessionsDialog = lazyDialog(() => import('./end-sessions-dialog.tsx'), 'EndSessionsDialog');

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
          text={`According to the audit trail, nobody has signed in within ${OPERATOR_DAYS} days.`}
        />
      ) : (
        <>
          <Text size="sm" c="dimmed" role="status">
            {data.truncated ? 'The latest ' : ''}
            {counted(data.operators.length, 'operator', 'operators')}, the latest sign-in first
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
