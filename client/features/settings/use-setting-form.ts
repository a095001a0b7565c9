import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { RequestError } from '../../api/request-error.ts';
import { useOperator } from '../../api/session.ts';
import { SETTINGS_KEY } from '../../api/settings.ts';
import { decryptSetting, saveSetting } from '../../api/settings-record.ts';
import { offerSettingUndo } from '../../resource/undo/offer-setting-undo.ts';
import { writtenChange } from '../../resource/undo/take-settings-back.ts';
import { forgetDraft, keepDraft, keptDraft } from '../../session/kept-drafts.ts';
import { onLeaving } from '../../session/leaving.ts';
import type { Failure } from '../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks/use-single-flight.ts';
import { draftProblems, type FieldProblems, problemAtField } from './draft-problem.ts';
import { knownKey } from './known-keys.ts';
import { differs, draftOf, emptyDraft, inputOf, keepable, type SettingDraft, withKey } from './setting-draft.ts';

const KEPT_AS = 'settings.draft';

export interface SettingForm {
  draft: SettingDraft;
  problems: FieldProblems;
  failure: Failure | undefined;
  /** The draft was restored after a sign-in. */
  restored: boolean;
  pending: boolean;
  filling: boolean;
  change(part: Partial<SettingDraft>): void;
  /** Decrypts the stored value into the form. */
  fillIn(): void;
  save(): void;
}

export function useSettingForm(props: {
  setting: Setting | undefined;
  newKey: string;
  onUnsaved: (dirty: boolean) => void;
  onSaved: () => void;
}): SettingForm {
  const { setting, onUnsaved, onSaved } = props;
  const queryClient = useQueryClient();
  const [start] = useState(() => (setting === undefined ? emptyDraft(props.newKey) : draftOf(setting)));
  /** No setting has an empty key. */
  const of = setting?.key ?? '';
  const { identityId: operator } = useOperator();
  const [restored] = useState(() => keptDraft<never, SettingDraft>(KEPT_AS, { operator, of })?.draft);
  const [draft, setDraft] = useState(restored ?? start);
  /** Whether the operator has chosen to encrypt it or not. */
  const [decided, setDecided] = useState(restored !== undefined);
  const [problems, setProblems] = useState<FieldProblems>({});
  const [failure, setFailure] = useState<Failure>();
  const saving = useSingleFlight();
  const filling = useSingleFlight();
  const dirty = differs(draft, start);

  useEffect(() => forgetDraft(KEPT_AS), []);
  useEffect(() => {
    onUnsaved(dirty);
    return () => onUnsaved(false);
  }, [dirty, onUnsaved]);

  useEffect(() => {
    if (!dirty) return;
    return onLeaving(() => {
      keepDraft(KEPT_AS, { operator, of, base: null, draft: keepable(draft) });
      onUnsaved(false);
    });
  }, [dirty, draft, operator, of, onUnsaved]);

  const fail = (error: unknown): void => {
    const atField = error instanceof RequestError ? problemAtField(error) : undefined;
    if (atField !== undefined) setProblems(atField);
    else setFailure(error as Error);
  };

  const save = async (): Promise<void> => {
    const wanted = { ...draft, encrypted: draft.encrypted || knownKey(draft.key)?.secret === true };
    const found = draftProblems(wanted, setting);
    setProblems(found);
    setFailure(undefined);
    if (Object.keys(found).length > 0) return;
    try {
      const isNew = setting === undefined;
      const changed = await saveSetting(inputOf(wanted, isNew ? undefined : start), isNew);
      const saved = changed.setting;
      await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY });
      const said = `${saved.key} is saved${saved.encrypted ? ', encrypted' : ''}`;
      offerSettingUndo(said, [writtenChange(setting, changed)], queryClient);
      onSaved();
    } catch (error) {
      fail(error);
    }
  };

  return {
    draft,
    problems,
    failure,
    restored: restored !== undefined,
    pending: saving.pending,
    filling: filling.pending,
    change({ key, ...part }) {
      const byHand = decided || part.encrypted !== undefined;
      setDecided(byHand);
      setDraft((current) => {
        const changed = { ...current, ...part };
        return key === undefined ? changed : withKey(changed, key, byHand);
      });
      setProblems({});
    },
    fillIn: () =>
      void filling.run(async () => {
        if (setting === undefined) return;
        const value = await decryptSetting(setting.key).catch(fail);
        if (value !== undefined) setDraft((current) => ({ ...current, value }));
      }),
    save: () => void saving.run(save),
  };
}
