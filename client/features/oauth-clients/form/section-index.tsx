import { Button } from '@mantine/core';
import { counted } from '../../../format/counted.ts';
import classes from './section-index.module.css';

export interface IndexedSection {
  title: string;
  /** Of the section's element. */
  id: string;
  problems: number;
}

/** Leads to the sections of a long form, and says in which of them something is wrong. */
export const SectionIndex = ({ sections }: { sections: readonly IndexedSection[] }) => (
  <nav aria-label="Sections of the form">
    <ul className={classes.index}>
      {sections.map(({ title, id, problems }) => (
        <li key={id}>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              const section = document.getElementById(id);
              section?.scrollIntoView({ block: 'start' });
              section?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true });
            }}
          >
            {title}
            {problems > 0 && `, ${counted(problems, 'problem', 'problems')}`}
          </Button>
        </li>
      ))}
    </ul>
  </nav>
);
