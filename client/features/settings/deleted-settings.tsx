import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AuditRecord } from '../../../shared/audit.ts';
import type { Setting } from '../../../shared/settings.ts';
import { apiKeySetting, UPSTREAM_NAMES } from '../../../shared/upstreams.ts';
import { auditPageQuery } from '../../api/audit.ts';
import { RequestError } from '../../api/request.ts';
import { useOperator } from '../../api/session.ts';
import { deleteSetting, SETTINGS_KEY } from '../../api/settings.ts';
import { useNameOf } from '../../audit/record-list.tsx';
import { recordSentence } from '../../audit/record-sentence.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { offerSettingUndo } from '../../record/undo.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { Modal } from '../../ui/modal.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import classes from './settings.module.css';

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
          <StatePanel kind="no-data" title="No setting was deleted" text="The audit trail knows of no deletion." />
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

/** Of each setting its last deletion. @param records deletions, newest first */
export function latestDeletions(records: readonly AuditRecord[]): (AuditRecord & { target: string })[] {
  const seen = new Set<string>();
  return records.filter((record): record is AuditRecord & { target: string } => {
    const { target } = record;
    if (target === null || seen.has(target)) return false;
    seen.add(target);
    return true;
  });
}

export function DeleteSetting({ setting, onClose }: { setting: Setting; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { consequences, typeKey } = deletionConsequences(setting);
  return (
    <ConfirmDialog
      title={`Delete ${setting.key}?`}
      consequences={consequences}
      typed={typeKey ? setting.key : undefined}
      action="Delete"
      onClose={onClose}
      act={async () => {
        // Somebody else may have deleted it first: the goal is reached either way.
        const undoVersion = await deleteSetting(setting.key).catch(goneIsFine);
        await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
        const { key } = setting;
        offerSettingUndo(`${key} is deleted`, [{ key, before: setting, undoVersion, after: null }], queryClient);
        onClose();
      }}
    />
  );
}

function goneIsFine(error: unknown): undefined {
  if (error instanceof RequestError && error.code === 'not_found') return undefined;
  throw error;
}

/** The consequences of deleting this setting, and whether its key must be typed to confirm. */
export function deletionConsequences(setting: Setting): { consequences: string[]; typeKey: boolean } {
  const upstream = UPSTREAM_NAMES.find((name) => apiKeySetting(name) === setting.key);
  const consequences = [
    'Services that read it keep using the old value until their cache expires, 60 seconds by default.',
  ];
  if (upstream !== undefined) {
    consequences.push(`Requests under /api/${upstream} are then sent without a key; the upstream may reject them.`);
  }
  if (setting.key.startsWith('social.')) consequences.push('The sign-in page may stop offering this social provider.');
  consequences.push(
    'It can be restored for a year, from “Deleted settings” above the list, unless its earlier versions are removed; right after the deletion also by “Undo”.',
  );
  return { consequences, typeKey: setting.encrypted || upstream !== undefined };
}
