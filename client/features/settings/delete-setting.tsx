import { useQueryClient } from '@tanstack/react-query';
import type { Setting } from '../../../shared/settings.ts';
import { RequestError } from '../../api/request-error.ts';
import { SETTINGS_KEY } from '../../api/settings.ts';
import { deleteSetting } from '../../api/settings-record.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../ui/feedback/toasts.tsx';
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
        await deleteSetting(setting.key).catch((error) => {
          // Somebody else deleted it first: the goal is reached either way.
          if (!(error instanceof RequestError && error.code === 'not_found')) throw error;
        });
        await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
        toast(`${setting.key} is deleted`);
        onClose();
      }}
    />
  );
}
