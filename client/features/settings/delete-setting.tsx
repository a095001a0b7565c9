import { useQueryClient } from '@tanstack/react-query';
import type { Setting } from '../../../shared/settings.ts';
import { RequestError } from '../../api/request-error.ts';
import { SETTINGS_KEY } from '../../api/settings.ts';
import { deleteSetting } from '../../api/settings-record.ts';
import { offerSettingUndo } from '../../resource/undo/offer-setting-undo.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { deletionConsequences } from './deletion-consequences.ts';

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
        const kept = await deleteSetting(setting.key).catch(goneIsFine);
        await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
        const { key } = setting;
        offerSettingUndo(`${key} is deleted`, [{ key, before: setting, kept, after: null }], queryClient);
        onClose();
      }}
    />
  );
}

function goneIsFine(error: unknown): undefined {
  if (error instanceof RequestError && error.code === 'not_found') return undefined;
  throw error;
}
