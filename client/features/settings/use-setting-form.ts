import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isAlwaysEncrypted, type Setting } from '../../../shared/settings.ts';
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
import { looksSecret } from './secret-looking.ts';
import { differs, draftOf, emptyDraft, inputOf, keepable, type SettingDraft } from './setting-draft.ts';

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
  /** Whether a value that looks secret is to be stored in plain text after all is waiting for `answer`. */
  asking: boolean;
  answer(encrypted: boolean): void;
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
  /** Keys that were chosen to be stored in plain text although they look like a secret's. */
  const [plainKeys] = useState(() => new Set<string>());
  const [asking, setAsking] = useState(false);
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
      keepDraft(KEPT_AS, { operator, of, base: null, draft: keepable(draft, setting) });
      onUnsaved(false);
    });
  }, [dirty, draft, setting, operator, of, onUnsaved]);

  const fail = (error: unknown): void => {
    const atField = error instanceof RequestError ? problemAtField(error) : undefined;
    if (atField !== undefined) setProblems(atField);
    else setFailure(error as Error);
  };

  const save = async (encrypted: boolean): Promise<void> => {
    const wanted = { ...draft, encrypted: encrypted || isAlwaysEncrypted(draft.key) };
    const found = draftProblems(wanted, setting);
    setProblems(found);
    setFailure(undefined);
    if (Object.keys(found).length > 0) return;
    if (!wanted.encrypted && looksSecret(wanted.key) && !plainKeys.has(wanted.key)) return setAsking(true);
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
    change(part) {
      setDraft((current) => ({ ...current, ...part }));
      setProblems({});
      setAsking(false);
    },
    fillIn: () =>
      void filling.run(async () => {
        if (setting === undefined) return;
        const value = await decryptSetting(setting.key).catch(fail);
        if (value !== undefined) setDraft((current) => ({ ...current, value }));
      }),
    save: () => void saving.run(() => save(draft.encrypted)),
    asking,
    answer(encrypted) {
      setAsking(false);
      if (!encrypted) plainKeys.add(draft.key);
      setDraft((current) => ({ ...current, encrypted }));
      void saving.run(() => save(encrypted));
    },
  };
}
