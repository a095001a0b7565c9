import { Box, Button, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditRecord } from '../../../shared/audit.ts';
import type { Setting } from '../../../shared/settings.ts';
import { auditPageQuery } from '../../api/audit.ts';
import { unlessGone } from '../../api/request.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { deleteSetting, SETTINGS_KEY, settingKeysQuery } from '../../api/settings.ts';
import { useNameOf } from '../../audit/record-names.tsx';
import { recordSentence } from '../../audit/record-sentence.ts';
import { shortened, visibleText } from '../../lib/visible-text.ts';
import { offerSettingUndo } from '../../record/undo.ts';
import { ConfirmDialog, type Consequences } from '../../ui/confirm-dialog.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { Dimmed, TextLink } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { Modal } from '../../ui/modal.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { upstreamOf } from './setting-draft.ts';

export function DeletedSettingsButton() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (!useCan()('audit.read')) return null;
  return (
    <>
      <Button variant="subtle" onClick={() => setOpen(true)}>
        Deleted settings
      </Button>
      {open && (
        <Modal opened onClose={close} title="Deleted settings" size="lg">
          <DeletedSettings onOpen={close} />
        </Modal>
      )}
    </>
  );
}

/** How many deletions are read; several may be of the same setting. */
const DELETIONS = 100;
const deletionsQuery = auditPageQuery({ action: 'setting_delete', pageSize: DELETIONS, token: undefined });

function DeletedSettings({ onOpen }: { onOpen: () => void }) {
  const query = useQuery(deletionsQuery);
  const keys = useQuery(settingKeysQuery);
  const { identityId } = useOperator();
  // Some have been restored or created again. Without the settings, show all rather than none.
  const deletions = latestDeletions(query.data?.rows ?? []).filter(({ target }) => !keys.data?.has(target));
  const nameOf = useNameOf(deletions);
  return (
    <Stack gap="sm">
      <Dimmed>
        {(query.isPending || deletions.length > 0) && 'Open one to see and restore its earlier versions.'}
        {query.data?.next !== undefined && ' Older deletions are in the audit trail.'}
      </Dimmed>
      <QueryState
        query={keys.isPending ? { ...query, data: undefined } : query}
        loading={<LoadingRows label="Loading the deleted settings" rows={4} height={44} />}
      >
        {() =>
          deletions.length === 0 ? (
            <StatePanel
              kind="no-data"
              title="No deleted settings"
              text="The audit trail contains no deletion of a setting that is still missing."
            />
          ) : (
            <ul data-rows aria-label="Deleted settings, newest first">
              {deletions.map((record) => (
                <Box component="li" px="0.875rem" py="0.625rem" key={record.sequence}>
                  <TextLink size="sm" ff="monospace" to="/settings" search={{ key: record.target }} onClick={onOpen}>
                    {visibleText(record.target)}
                  </TextLink>
                  <Dimmed size="xs">
                    {recordSentence(record, identityId, nameOf)[0]?.text} deleted it{' '}
                    <RelativeTime at={record.timestamp} />
                  </Dimmed>
                </Box>
              ))}
            </ul>
          )
        }
      </QueryState>
    </Stack>
  );
}

/** The last deletion of each setting. @param records newest first */
const latestDeletions = (records: readonly AuditRecord[]) =>
  records.filter(
    (record, index): record is AuditRecord & { target: string } =>
      record.target !== null && records.findIndex(({ target }) => target === record.target) === index,
  );

export function DeleteSetting({ setting, onClose }: { setting: Setting; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { key } = setting;
  const { typeKey, ...consequences } = deletionConsequences(setting);
  return (
    <ConfirmDialog
      title={`Delete ${shortened(key)}?`}
      {...consequences}
      typed={typeKey ? key : undefined}
      action="Delete setting"
      onClose={onClose}
      act={async (reason) => {
        // If somebody else has deleted the setting, there is nothing left to do.
        const undoVersion = await deleteSetting(key, undefined, reason).catch(unlessGone);
        await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
        offerSettingUndo(
          `Deleted ${shortened(key)}`,
          [{ key, before: setting, undoVersion, after: null }],
          queryClient,
        );
        onClose();
      }}
    />
  );
}

/** The consequences of deleting this setting, and whether the operator must type its key to confirm. */
export function deletionConsequences({ key, encrypted }: Setting): Consequences & { typeKey: boolean } {
  const upstream = upstreamOf(key);
  return {
    consequence:
      upstream !== undefined
        ? `Requests under /api/${upstream} are then sent without a key, and may be rejected.`
        : key.startsWith('social.')
          ? 'Login pages may stop offering this social provider.'
          : 'Services that read this setting no longer find it.',
    details: [
      'Services keep using the old value until their cache expires, after 60 seconds by default.',
      'For a year, you can restore it under “Deleted settings” above the list, unless its earlier versions are removed. Right after the deletion, “Undo” also restores it.',
    ],
    typeKey: encrypted || upstream !== undefined,
  };
}
