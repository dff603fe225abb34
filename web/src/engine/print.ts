// Writes a long answer out for people, away from the page.

import { print, type Printed, type Printing } from './printer';

self.onmessage = ({ data }: MessageEvent<Printing>) => {
  const printed: Printed = { text: print(data) };
  self.postMessage(printed);
};
