import { Box, Group, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { NOTE_MAX_CHARACTERS, type Note } from '../../../shared/notes.ts';
import { useOperatorNames } from '../../api/names.ts';
import { deleteNote, notesQuery, saveNote } from '../../api/notes.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { formatOperator } from '../../audit/record-names.tsx';
import { shortId } from '../../audit/record-sentence.ts';
import { digits } from '../../lib/format-count.ts';
import { isCommand } from '../../lib/keys.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { CANNOT_BE_UNDONE, ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useConfirmClose } from '../../ui/confirm-leave.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { Dimmed, Section } from '../../ui/layout.tsx';
import { LinkedText } from '../../ui/linked-text.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { DialogForm, Modal } from '../../ui/modal.tsx';
import { QueryState } from '../../ui/query-state.tsx';

/** What operators noted on a person. Only for roles with `notes.read`. */
export function IdentityNotes({ id }: { id: string }) {
  const queryClient = useQueryClient();
  const query = useQuery(notesQuery(id));
  const names = useOperatorNames(query.data?.map(({ author }) => author) ?? []);
  const { identityId: self } = useOperator();
  const may = useCan();
  const mayEdit = ({ author }: Note): boolean => author === self && may('notes.write');
  /** Without an id, it is a new one. */
  const [edited, setEdited] = useState<Partial<Note>>();
  const [deleting, setDeleting] = useState<Note>();
  const nameOf = (author: string): string =>
    author === self ? 'You' : (formatOperator(names.get(author)) ?? shortId(author));
  return (
    <Section
      title="Notes"
      actions={may('notes.write') && <SmallButton onClick={() => setEdited({})}>Add note…</SmallButton>}
    >
      <QueryState query={query} loading={<LoadingRows label="Loading the notes" height={40} />}>
        {(notes) =>
          notes.length === 0 ? (
            <Dimmed>No notes.</Dimmed>
          ) : (
            <Box component="ul" data-rows aria-label="Notes">
              {notes.map((note) => (
                <Box component="li" key={note.id} py="xs">
                  <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                    <LinkedText text={note.text} />
                  </Text>
                  <Group gap="xs" mt={4}>
                    <Dimmed size="xs" flex={1}>
                      <bdi>{nameOf(note.author)}</bdi> · <RelativeTime at={note.created_at} />
                      {note.updated_at !== note.created_at && ', changed '}
                      {note.updated_at !== note.created_at && <RelativeTime at={note.updated_at} />}
                    </Dimmed>
                    {mayEdit(note) && <SmallButton onClick={() => setEdited(note)}>Edit…</SmallButton>}
                    {(mayEdit(note) || may('upstreams.write')) && (
                      <SmallButton onClick={() => setDeleting(note)}>Delete…</SmallButton>
                    )}
                  </Group>
                </Box>
              ))}
            </Box>
          )
        }
      </QueryState>
      {edited !== undefined && <NoteDialog identity={id} note={edited} onClose={() => setEdited(undefined)} />}
      {deleting !== undefined && (
        <ConfirmDialog
          title={deleting.author === self ? 'Delete your note?' : `Delete the note of ${nameOf(deleting.author)}?`}
          consequence="Nobody can read it any more."
          details={[CANNOT_BE_UNDONE]}
          action="Delete note"
          onClose={() => setDeleting(undefined)}
          act={async (reason) => {
            await deleteNote(id, deleting.id, reason);
            await queryClient.invalidateQueries(notesQuery(id));
            setDeleting(undefined);
          }}
        />
      )}
    </Section>
  );
}

/** Ctrl+Enter saves. After a failure, and if the note is deleted elsewhere, the text stays. */
function NoteDialog(props: { identity: string; note: Partial<Note>; onClose: () => void }) {
  const { identity, note, onClose } = props;
  const queryClient = useQueryClient();
  const { run, pending, failure } = useSingleFlight();
  const [text, setText] = useState(note.text ?? '');
  const { close, leaveDialog } = useConfirmClose(() => text.trim() !== (note.text ?? ''), onClose);
  const length = [...text.trim()].length;
  const isTooLong = length > NOTE_MAX_CHARACTERS;
  const save = (): void =>
    void run(async () => {
      // Also after a failure: the note may have been saved.
      await saveNote(identity, note.id, text).finally(() => queryClient.invalidateQueries(notesQuery(identity)));
      onClose();
    });
  return (
    <Modal opened onClose={close} title={note.id === undefined ? 'Add note' : 'Edit note'} busy={pending}>
      <DialogForm
        onCancel={close}
        pending={pending}
        submit="Save note"
        disabled={length === 0 || isTooLong}
        onSubmit={save}
      >
        <Textarea
          label="Note"
          description="Colleagues can read this, and the person if they ask for their data."
          data-autofocus
          autosize
          minRows={3}
          maxRows={12}
          error={isTooLong && `${digits(length)} of ${digits(NOTE_MAX_CHARACTERS)} characters.`}
          readOnly={pending}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isCommand(event, 'enter')) event.currentTarget.form?.requestSubmit();
          }}
        />
        {failure !== undefined && <FailurePanel error={failure} />}
      </DialogForm>
      {leaveDialog}
    </Modal>
  );
}
