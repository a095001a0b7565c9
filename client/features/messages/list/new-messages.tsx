import { type ListedMessage, type MessagePageParams, readMessagePage } from '../../../api/messages.ts';
import type { CursorList } from '../../../resource/list/use-cursor-list.ts';
import type { RowMark } from '../../../resource/live/newer-rows.ts';
import { NewerRowsButton } from '../../../resource/live/newer-rows-button.tsx';
import type { NewerQuestion } from '../../../resource/live/use-newer-rows.ts';

/** The service sends each message with its text: more would be no small answer. */
const ROWS = 10;

const markOf = ({ id, created }: ListedMessage): RowMark => ({ id, at: Date.parse(created) });

const QUESTION: NewerQuestion<ListedMessage, MessagePageParams> = {
  one: 'message',
  many: 'messages',
  markOf,
  async ask(filter, signal) {
    const { rows, next } = await readMessagePage({ ...filter, pageSize: ROWS }, signal);
    return { marks: rows.map(markOf), more: next !== undefined };
  },
};

export const NewMessages = ({ list }: { list: CursorList<ListedMessage, MessagePageParams> }) => (
  <NewerRowsButton list={list} question={QUESTION} />
);
