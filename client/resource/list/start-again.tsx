import { Button } from '@mantine/core';

export const StartAgain = ({ onClick }: { onClick: () => void }) => (
  <Button size="xs" variant="default" onClick={onClick}>
    Start again from page 1
  </Button>
);
