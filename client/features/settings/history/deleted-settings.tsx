import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { auditPageQuery } from '../../../api/audit.ts';
import { useOperator } from '../../../api/session.ts';
import { useNameOf } from '../../../audit-view/operator-names.ts';
import { recordSentence } from '../../../audit-view/record-sentence.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import classes from './earlier-versions.module.css';
import { latestDeletions } from './latest-deletions.ts';

/** How many deletions are looked through. */
const DELETIONS = 100;
const DELETED = auditPageQuery({ action: 'setting_delete', pageSize: DELETIONS, token: undefined });

/** The settings that were deleted last, by the audit trail; each leads to what is kept of it. */
export function DeletedSettings({ onClose }: { onClose: () => void }) {
  const { data, error, refetch } = useQuery(DELETED);
  const { identityId } = useOperator();
  const deletions = latestDeletions(data?.rows ?? []);
  const nameOf = useNameOf(deletions);
  return (
    <Modal opened onClose={onClose} title="Deleted settings" size="lg">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Open one to see and restore what is kept of it.
          {data?.next !== undefined && ` Older deletions are in the audit trail.`}
        </Text>
        {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
        {data === undefined ? (
          error === null && <LoadingRows label="Loading the deleted settings" rows={4} height={44} />
        ) : deletions.length === 0 ? (
          <EmptyState kind="no-data" title="No setting was deleted" text="The audit trail knows of no deletion." />
        ) : (
          <ul className={classes.list} aria-label="Deleted settings, the latest first">
            {deletions.map((record) => (
              <li key={record.sequence} className={classes.version}>
                <Anchor
                  component={Link}
                  size="sm"
                  className={classes.key}
                  to="/settings"
                  search={{ key: record.target } as never}
                  preload={false}
                  onClick={onClose}
                >
                  {visibleText(record.target)}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {recordSentence(record, identityId, nameOf)[0]?.text} deleted it{' '}
                  <RelativeTime at={record.timestamp} />
                </Text>
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </Modal>
  );
}
