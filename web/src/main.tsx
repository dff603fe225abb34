import { render } from 'preact';
import { App } from './app';
import './styles/tokens.css';
import './styles/controls.css';
import './styles/page.css';
import './styles/answer.css';
import './styles/assist.css';
import './styles/guide.css';
import { speakPreferred } from './texts';
import './styles/picture.css';
import './styles/why.css';
import { Page } from './view/Page';
import { drawNow } from './view/parts';

speakPreferred();
const root = document.getElementById('root')!;
render(<Page app={new App(drawNow)} />, root);
