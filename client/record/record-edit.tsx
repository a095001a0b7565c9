import { Button, Code, Fieldset, Radio, Stack, Text } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { membersOf } from '../../shared/json.ts';
import { RelativeTime } from '../ui/facts.tsx';
import { DialogFooter, Modal } from '../ui/modal.tsx';
import { toast } from '../ui/toasts.tsx';
import { applied, type MemberChange, memberChanges, Overwritten, sameJson, touches } from './member-changes.ts';

export interface EditableRecord<R, D = unknown> {
  /** Noun in a sentence: "identity". */
  what: string;
  documentOf: (record: R) => D;
  read: () => Promise<R>;
  /** Writes the changes over the version just read. */
  write: (now: R, changes: readonly MemberChange[]) => Promise<R>;
}

/**
 * Saves edits of a record, unless somebody else has changed it since the form loaded: then a dialog compares both
 * versions. Neither Kratos nor Hydra has conditional writes or the patch operation `test`, so this reads the record
 * again right before the write.
 * @param refresh reloads what the page shows of the record, which somebody else has changed
 * @param onSaved called when the form may close, with the record before the write and the changed members
 */
export function useRecordEdit<R extends object, D>(
  record: EditableRecord<R, D>,
  form: {
    attempt: (work: () => Promise<void>) => void;
    finish: () => void;
    rebase: (now: D, edited: D) => void;
  },
  refresh: () => Promise<unknown>,
  onSaved: (edit: { before: R; saved: R; edited: D; mine: readonly MemberChange[] }) => Promise<void>,
): { save: (base: D, edited: D) => Promise<void>; conflictDialog: ReactNode } {
  const { what, documentOf, read, write } = record;
  const [conflict, setConflict] = useState<Conflict & { now: R }>();
  /** What saves have stored of which other members were overwritten. */
  const stored = useRef<MemberChange[]>([]);
  const save = async (base: D, edited: D): Promise<void> => {
    const mine = memberChanges(base, edited);
    if (mine.length === 0) {
      toast('No changes to save');
      return;
    }
    const before = await read();
    const theirs = memberChanges(base, documentOf(before));
    // The response to an earlier attempt may have been lost: what it saved is nobody else's change.
    const isSaved = sameJson(documentOf(before), edited);
    if (theirs.length > 0 && !isSaved) {
      setConflict({ now: before, mine, theirs, partlySaved: stored.current.length > 0 });
      void refresh();
      return;
    }
    const onOverwritten = (error: unknown): never => {
      if (error instanceof Overwritten) {
        stored.current.push(...mine.filter(({ path }) => !error.paths.includes(path)));
        const now = documentOf(error.now as R);
        form.rebase(now, applied(now, mine));
        void refresh();
      }
      throw error;
    };
    const saved = isSaved ? before : await write(before, mine).catch(onOverwritten);
    form.finish();
    const others = stored.current.filter(({ path }) => !mine.some((change) => change.path === path));
    await onSaved({ before, saved, edited, mine: [...others, ...mine] });
  };
  const conflictDialog = conflict !== undefined && (
    <EditConflictDialog
      what={what}
      {...conflict}
      onClose={() => setConflict(undefined)}
      onChosen={(chosen) => {
        const now = documentOf(conflict.now);
        const edited = applied(now, chosen);
        form.rebase(now, edited);
        setConflict(undefined);
        form.attempt(() => save(now, edited));
      }}
    />
  );
  return { save, conflictDialog };
}

interface Conflict {
  now: object;
  mine: readonly MemberChange[];
  theirs: readonly MemberChange[];
  /** Whether an overwritten save has stored some changes. */
  partlySaved: boolean;
}

/**
 * Compares both versions of every changed member. For each conflict, the operator chooses one.
 * @param props.onChosen called with the operator's changes to the current version
 */
function EditConflictDialog(
  props: Conflict & {
    what: string;
    onChosen: (chosen: readonly MemberChange[]) => void;
    onClose: () => void;
  },
) {
  const { now, mine, theirs, partlySaved } = props;
  const [choices, setChoices] = useState<Record<string, 'mine' | 'theirs'>>({});
  const conflicting = mine.filter((change) => conflictsWith(change, theirs).length > 0);
  const mergeable = mine.filter((change) => !conflicting.includes(change));
  const otherChanges = theirs.filter((change) => !conflicting.some((own) => touches(own, change)));
  const open = conflicting.filter(({ path }) => choices[path] === undefined);

  const save = (): void =>
    props.onChosen([...mergeable, ...conflicting.filter(({ path }) => choices[path] === 'mine')]);

  return (
    <Modal
      opened
      size="lg"
      onClose={props.onClose}
      title={`Somebody else changed this ${props.what}`}
      closeButtonProps={{ 'aria-label': 'Continue editing' }}
    >
      <Stack gap="md">
        <Text size="sm">
          It was changed <RelativeTime at={String(membersOf(now).updated_at)} />, after you opened it.{' '}
          {partlySaved ? 'Some of your changes are already saved.' : 'None of your changes are saved yet.'}
        </Text>
        {conflicting.map((change) => (
          <Fieldset key={change.path} legend={nameOf(change)}>
            <Stack gap={6}>
              {(['theirs', 'mine'] as const).map((choice) => (
                <Radio
                  key={choice}
                  name={change.path}
                  checked={choices[change.path] === choice}
                  onChange={() => setChoices({ ...choices, [change.path]: choice })}
                  label={
                    <>
                      {choice === 'mine' ? 'Save yours: ' : 'Keep theirs: '}
                      <Value
                        value={
                          choice === 'mine' ? change.after : conflictsWith(change, theirs).map(({ after }) => after)[0]
                        }
                      />
                    </>
                  }
                />
              ))}
            </Stack>
          </Fieldset>
        ))}
        <Changes title="Their changes, already saved" changes={otherChanges} />
        <Changes title="Your changes, to be saved" changes={mergeable} />
        <DialogFooter onCancel={props.onClose} cancel="Continue editing">
          <Button disabled={open.length > 0} onClick={save}>
            {conflicting.length === 0 ? 'Save both' : 'Save selected'}
          </Button>
        </DialogFooter>
      </Stack>
    </Modal>
  );
}

/** Changes by others to the same member with a different value, or to a member inside or around it. */
const conflictsWith = (change: MemberChange, theirs: readonly MemberChange[]): MemberChange[] =>
  theirs.filter(
    (other) => touches(change, other) && !(other.path === change.path && sameJson(other.after, change.after)),
  );

function Changes({ title, changes }: { title: string; changes: readonly MemberChange[] }) {
  if (changes.length === 0) return null;
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {changes.map((change) => (
        <Text key={change.path} size="sm">
          {nameOf(change)}: <Value value={change.before} /> → <Value value={change.after} />
        </Text>
      ))}
    </section>
  );
}

const nameOf = ({ path }: MemberChange): string => path.slice(1).replaceAll('/', '.');

function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <em>nothing</em>;
  return (
    <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
      {typeof value === 'string' ? value : JSON.stringify(value)}
    </Code>
  );
}
