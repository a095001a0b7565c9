import type { ListedMessage } from '../../../api/messages.ts';
import { formatChannel, formatTemplate, messageStatus } from '../../../format/message.ts';
import { openingLink } from '../../../resource/list/column.tsx';
import type { ResourceRows } from '../../../resource/list/resource-table.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import classes from './message-columns.module.css';

const calledAs = ({ template, recipient }: ListedMessage): string =>
  `${formatTemplate(template)} to ${recipient || 'nobody'}`;

/** The columns by their names; where each stands is in the style sheet, by the same names. */
export const MESSAGE_ROWS: ResourceRows<ListedMessage> = {
  nameOf: calledAs,
  className: classes.columns,
  columns: [
    {
      name: 'recipient',
      label: 'Recipient',
      className: classes.recipient,
      cell: (message, tabIndex) =>
        openingLink({
          id: message.id,
          href: `/messages/${encodeURIComponent(message.id)}`,
          title: calledAs(message),
          tabIndex,
          children: message.recipient || <em>not known</em>,
        }),
    },
    { name: 'about', label: 'About', className: classes.about, cell: ({ template }) => formatTemplate(template) },
    { name: 'channel', label: 'Channel', className: classes.channel, cell: ({ channel }) => formatChannel(channel) },
    {
      name: 'status',
      label: 'Status',
      className: classes.status,
      cell: ({ status }) => {
        const { dot, label } = messageStatus(status);
        return StatusDot({ status: dot, children: label });
      },
    },
    { name: 'tries', label: 'Tries', className: classes.tries, cell: ({ attempts }) => String(attempts) },
    {
      name: 'created',
      label: 'Created',
      className: classes.created,
      cell: ({ created }) => RelativeTime({ at: created }),
    },
  ],
};
